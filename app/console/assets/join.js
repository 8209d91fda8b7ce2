// Takes the invitation from behind the `#` of the link, and shows whose it is; says in which time zone the reader is.
document.cookie = `cw_zone=${Intl.DateTimeFormat().resolvedOptions().timeZone}; path=/console; max-age=31536000; samesite=strict`;
const secret = location.hash.slice(1);
history.replaceState(null, "", location.pathname);
if (secret) {
  const field = document.querySelector("[name=invitation]");
  field.value = secret;
  field.closest(".field").hidden = true;
  field.form.requestSubmit(field.form.querySelector("[name=look]"));
}

// Takes the invitation from behind the `#` of the link.
const field = document.querySelector("[name=invitation]");
if (location.hash.length > 1) {
  field.value = location.hash.slice(1);
  field.closest(".field").hidden = true;
  history.replaceState(null, "", location.pathname);
}

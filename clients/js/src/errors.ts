/** The service refused a request, or could not be reached. */
export class ContentWorkflowError extends Error {
  override readonly name = "ContentWorkflowError";

  constructor(
    message: string,
    /** The code of the error as docs/delivery.md lists them; `UNREACHABLE` or `UNEXPECTED_RESPONSE` where there is none. */
    readonly code: string,
    /** The HTTP status; 0 where there was no response. */
    readonly status: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

// An error for the person who runs a command or uses the panel.

/** An operation rejected for a reason the user can act on; `message` is shown as is. `reason` identifies the message
 *  for translation. */
export class UserError extends Error {
  readonly reason: string | undefined

  constructor(message: string, reason?: string) {
    super(message)
    this.reason = reason
  }
}

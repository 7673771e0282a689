/** Someone's wish that is refused; the message says why, in a sentence for people. `reason` names the sentence for those who
 *  say it in other languages. */
export class UserError extends Error {
  readonly reason: string | undefined

  constructor(message: string, reason?: string) {
    super(message)
    this.reason = reason
  }
}

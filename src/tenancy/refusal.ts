/** Someone's wish that is refused; the message says why, in a sentence for people. */
export class Refusal extends Error {}

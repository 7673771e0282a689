/** What the panel tells the request log about a request to one of its pages. None of it is a secret. */
export type PanelLogFields = {
  /** Id of the user who is signed in, and of the row of their session. */
  user?: string
  session?: string
  /** Short name of the tenant that the page is about. */
  tenant?: string
  /** Why the request was refused. */
  refusal?: string
}

declare module 'fastify' {
  interface FastifyRequest {
    visitor?: PanelLogFields
  }
}

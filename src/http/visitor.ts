/** What the panel adds to the log line of a request. None of it is a secret. */
export type PanelLogFields = {
  /** Ids of the signed-in user and of their session row. */
  user?: string
  session?: string
  /** Slug of the tenant that the page shows. */
  tenant?: string
  /** Why the request was rejected. */
  refusal?: string
}

declare module 'fastify' {
  interface FastifyRequest {
    visitor?: PanelLogFields
  }
}

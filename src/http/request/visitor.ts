/** The fields that the panel adds to a request's log line. None of these fields is secret. */
export type PanelLogFields = {
  /** The signed-in user's id. */
  user?: string
  /** The session's id, which is not its token. */
  session?: string
  /** The slug of the tenant that the page shows. */
  tenant?: string
  /** Why the request was rejected. */
  refusal?: string
}

declare module 'fastify' {
  interface FastifyRequest {
    visitor?: PanelLogFields
  }
}

/** The fields that the panel adds to a request's log line. None of these fields is secret. */
export type PanelLogFields = {
  /** The id of the signed-in user. */
  user?: string
  /** The id of the user's session, which is not its token. */
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

// Keeps the pages that answer refused forms. The browser is redirected to the kept page, so that it never asks to send
// the form again when the user reloads the page or goes back to it.

import { randomBytes } from 'node:crypto'
import type { PageResponse } from '../responses.ts'
import type { Frame } from './request.ts'

/** The URL parameter with a kept answer's id. Scripts remove it from the address bar (forms.js). */
export const answerParam = 'refused'

export type Answer = { page: PageResponse & { kind: 'page' }; frame: Frame }

export type KeptAnswers = {
  /** Keeps the answer for the owner, and returns its id. */
  keep(owner: string, answer: Answer): string
  /** Returns undefined if the answer is no longer kept, or if it is somebody else's. */
  find(owner: string, id: string): Answer | undefined
}

/** An hour. People go back to a form within minutes. */
const lifetimeMs = 60 * 60 * 1000

/** `maxCharacters`: the total length of the kept pages. The oldest ones are dropped first. */
export function keepAnswers(maxCharacters: number): KeptAnswers {
  const kept = new Map<string, Answer & { owner: string; until: number }>() // the oldest first
  let characters = 0

  function drop(id: string): void {
    characters -= kept.get(id)?.page.body.length ?? 0
    kept.delete(id)
  }

  function dropOld(now: number): void {
    for (const [id, { until }] of kept) {
      if (until > now && characters <= maxCharacters) return
      drop(id)
    }
  }

  return {
    keep(owner, answer) {
      const id = randomBytes(12).toString('base64url')
      kept.set(id, { ...answer, owner, until: Date.now() + lifetimeMs })
      characters += answer.page.body.length
      dropOld(Date.now())
      return id
    },
    find(owner, id) {
      const answer = kept.get(id)
      return answer?.owner === owner && answer.until > Date.now() ? answer : undefined
    },
  }
}

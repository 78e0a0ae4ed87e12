import { expect } from 'bun:test'
import type { Answer, Call } from './client.ts'

/** One sentence of the specification, and the call that checks it. */
export interface Row extends Call {
  sentence: string
  status: number
  /** The whole body; left out if the sentence is about the status only. */
  answer?: unknown
  /** Exact values, patterns, or null for a header that must not be there. */
  answerHeaders?: Record<string, string | RegExp | null>
}

/** A row in the order in which it is read: its sentence, its call, its answer. */
export function row(sentence: string) {
  const call = (made: Call) => ({
    answers: (status: number, answer?: unknown, answerHeaders: Row['answerHeaders'] = {}): Row => ({
      ...made,
      sentence,
      status,
      answer,
      answerHeaders,
    }),
  })
  const by =
    (method: string) =>
    (path: string, body?: unknown, headers: Call['headers'] = {}) =>
      call({ method, path, body, headers })
  return {
    call,
    get: (path: string, headers: Call['headers'] = {}) => call({ path, headers }),
    post: by('POST'),
    put: by('PUT'),
    patch: by('PATCH'),
    delete: by('DELETE'),
  }
}

type Expected = Pick<Row, 'status' | 'answer' | 'answerHeaders'>

declare module 'bun:test' {
  interface Matchers<T> {
    /** Compares the status, the whole body if one is given, and the named headers. */
    toAnswer(expected: Expected): void
  }
}

expect.extend({
  toAnswer(given: unknown, { status, answer, answerHeaders = {} }: Expected) {
    const { headers, ...rest } = given as Answer
    const names = Object.keys(answerHeaders)
    const received = {
      status: rest.status,
      ...(answer !== undefined && { body: rest.body }),
      headers: Object.fromEntries(names.map((name) => [name, headers.get(name)])),
    }
    const expected = {
      status,
      ...(answer !== undefined && { body: answer }),
      headers: Object.fromEntries(
        Object.entries(answerHeaders).map(([name, value]) => [
          name,
          value instanceof RegExp ? expect.stringMatching(value) : value,
        ]),
      ),
    }
    return {
      pass: this.equals(received, expected),
      message: () => `expected ${Bun.inspect(expected)}\nreceived ${Bun.inspect(received)}`,
    }
  },
})

export const unauthorized = { error: 'Unauthorized' }
export const notFound = (what: string) => ({ error: 'Not found', message: `${what} not found` })
export const badRequest = (message: string) => ({ error: 'Bad request', message })
export const failed = (fields: object) => ({ error: 'Validation failed', fields })
/** The named fields fail, each with at least one message that is a sentence; no other field does. */
export const failedOn = (...names: string[]) =>
  failed(
    Object.fromEntries(names.map((name) => [name, expect.arrayContaining([expect.any(String)])])),
  )

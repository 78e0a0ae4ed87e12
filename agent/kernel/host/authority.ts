import type { IncomingHttpHeaders } from 'node:http'
import { Agent, get } from 'node:https'
import { rootCertificates } from 'node:tls'
import { z } from 'zod'
import { attempt } from './attempt.ts'

const TIMEOUT_MS = 15_000
const MAX_BYTES = 64 << 10

const Directory = z.object({ renewalInfo: z.url({ protocol: /^https$/ }).optional() })

/** The directory cannot be read: the connection failed, or the authority is out of service. */
export class Unreachable extends Error {}

/** The part of the directory that acme-client does not use. Throws Unreachable. */
export async function readDirectory(url: string, agent: Agent): Promise<z.infer<typeof Directory>> {
  const { status, text } = await read(url, agent)
  if (status >= 500) throw new Unreachable(`${new URL(url).host} answers with status ${status}`)
  return Directory.safeParse(attempt(() => JSON.parse(text))).data ?? {}
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** The error of a library does not name the unreachable host: this one does, with the reason. */
export function read(url: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const unreachable = ({ message }: Error) =>
      reject(new Unreachable(`${new URL(url).host} cannot be reached: ${message}`))
    const request = get(url, { agent, timeout: TIMEOUT_MS }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
        if (text.length <= MAX_BYTES) return
        // The end of an answer that arrived in one piece is reported all the same.
        unreachable(new Error('its answer is too long'))
        request.destroy()
      })
      const { statusCode: status = 0, headers } = response
      response.on('end', () => resolve({ status, headers, text }))
    })
    request.on('timeout', () => request.destroy(new Error('no answer in 15 seconds')))
    request.on('error', unreachable)
  })
}

export function agentFor(extra: string | undefined): Agent {
  return new Agent({ keepAlive: false, ...(extra ? { ca: [...rootCertificates, extra] } : {}) })
}

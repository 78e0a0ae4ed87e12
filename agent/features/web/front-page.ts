import type { Host } from '#agent/kernel/host/ports.ts'
import { ServiceError } from '#shared/kernel/errors.ts'

const LATEST_MS = 10_000
const PAUSE_MS = 50

/**
 * Waits until a new site shows its own front page, at 127.0.0.1 and at these addresses of this
 * machine; throws with its last answer.
 */
export async function awaitFrontPage(
  host: Host,
  domain: string,
  addresses: readonly string[] = [],
): Promise<void> {
  for (const address of [undefined, ...addresses]) {
    const problem = await settled(host, () => problemAt(host, domain, address))
    const where = address === undefined ? '' : ` at ${address}`
    if (problem === undefined) continue
    const message = `The front page of ${domain}${where} ${problem}`
    if (!problem.startsWith(SILENT)) throw new Error(message)
    const remedy = 'the server may be too busy: look at its load, then choose Retry'
    throw new ServiceError('internal', { message: `${message}; ${remedy}`, refusal: 'no_answer' })
  }
}

const SILENT = 'does not answer'

/** Waits until a site answers: its content belongs to the owner. Returns the reason of a failure. */
export const awaitAnswer = (host: Host, domain: string): Problem =>
  settled(host, () => host.net.probe({ host: domain, path: '/' }).then(() => undefined, silence))

type Problem = Promise<string | undefined>

/** nginx applies a new configuration a moment after the signal. */
async function settled(host: Host, problemOf: () => Problem): Problem {
  const end = host.clock.elapsed() + LATEST_MS
  for (;;) {
    const problem = await problemOf()
    if (problem === undefined || host.clock.elapsed() > end) return problem
    await host.clock.sleep(PAUSE_MS)
  }
}

async function problemAt(host: Host, domain: string, address: string | undefined): Problem {
  try {
    const at = address === undefined ? {} : { address }
    const { status, body } = await host.net.probe({ host: domain, path: '/', ...at })
    if (status !== 200) return `answers ${status}`
    return body.includes(`//${domain}/`) ? undefined : 'is that of another site'
  } catch (error) {
    return silence(error)
  }
}

const silence = (error: unknown) =>
  `${SILENT}: ${error instanceof Error ? error.message : String(error)}`

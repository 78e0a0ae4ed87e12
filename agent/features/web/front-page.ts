import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { ServiceError } from '#shared/kernel/errors.ts'

const MAX_WAIT_MS = 10_000
const PAUSE_MS = 50

/** Waits until a new site shows its own front page; throws with its last answer. */
export async function awaitFrontPage(
  host: Host,
  domain: string,
  addresses: readonly string[] = [],
): Promise<void> {
  for (const address of [undefined, ...addresses]) {
    const problem = await awaitNoProblem(host, () => problemAt(host, domain, address))
    const where = address === undefined ? '' : ` at ${address}`
    if (problem === undefined) continue
    const message = `The front page of ${domain}${where} ${problem}`
    if (!problem.startsWith(SILENT)) throw new Error(message)
    const remedy = 'the server may be too busy: look at its load, then choose Retry'
    throw new ServiceError('internal', { message: `${message}; ${remedy}`, refusal: 'no_answer' })
  }
}

const SILENT = 'does not answer'

/** Waits until a site answers, with any content. Returns the reason of a failure. */
export const awaitAnswer = (host: Host, domain: string): PageProblem =>
  awaitNoProblem(host, () =>
    host.net.probe({ host: domain, path: '/' }).then(() => undefined, silenceReason),
  )

/** Warns if the site does not answer. */
export const awaitAnswerStep = (host: Host, domain: string): Step => ({
  name: 'probe',
  title: 'Waiting for an answer of the site',
  effects: [run('request', `http://${domain}/`)],
  async *apply() {
    const problem = await awaitAnswer(host, domain)
    if (problem !== undefined) yield `Warning: ${domain} ${problem}`
  },
})

type PageProblem = Promise<string | undefined>

/** Waits until there is no problem: nginx applies a new configuration a moment after the signal. */
async function awaitNoProblem(host: Host, problemOf: () => PageProblem): PageProblem {
  const end = host.clock.elapsed() + MAX_WAIT_MS
  for (;;) {
    const problem = await problemOf()
    if (problem === undefined || host.clock.elapsed() > end) return problem
    await host.clock.sleep(PAUSE_MS)
  }
}

async function problemAt(host: Host, domain: string, address: string | undefined): PageProblem {
  try {
    const at = address === undefined ? {} : { address }
    const { status, body } = await host.net.probe({ host: domain, path: '/', ...at })
    if (status !== 200) return `answers ${status}`
    return body.includes(`//${domain}/`) ? undefined : 'is that of another site'
  } catch (error) {
    return silenceReason(error)
  }
}

const silenceReason = (error: unknown) =>
  `${SILENT}: ${error instanceof Error ? error.message : String(error)}`

import type { Host } from '../host/ports.ts'

const PATIENCE_MS = 10_000
const PAUSE_MS = 50

/** Waits until a new site shows its own front page; throws with what it showed last. */
export async function awaitFrontPage(host: Host, domain: string): Promise<void> {
  const problem = await settled(host, () => frontPageProblem(host, domain))
  if (problem !== undefined) throw new Error(`The front page of ${domain} ${problem}`)
}

/** Waits until a site answers at all: what it answers is its owner's. Returns why it does not. */
export function awaitAnswer(host: Host, domain: string): Promise<string | undefined> {
  return settled(host, () => ask(host, domain).then(() => undefined, silence))
}

/** nginx takes up a new configuration a moment after it was told to. */
async function settled(
  host: Host,
  problemOf: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const end = host.clock.elapsed() + PATIENCE_MS
  for (;;) {
    const problem = await problemOf()
    if (problem === undefined || host.clock.elapsed() > end) return problem
    await host.clock.sleep(PAUSE_MS)
  }
}

async function frontPageProblem(host: Host, domain: string): Promise<string | undefined> {
  try {
    const { status, body } = await ask(host, domain)
    if (status !== 200) return `answers ${status}`
    return body.includes(`//${domain}/`) ? undefined : 'is that of another site'
  } catch (error) {
    return silence(error)
  }
}

const ask = (host: Host, domain: string) => host.net.probe({ host: domain, path: '/' })

const silence = (error: unknown) =>
  `does not answer: ${error instanceof Error ? error.message : String(error)}`

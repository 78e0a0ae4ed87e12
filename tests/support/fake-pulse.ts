import type { Metrics, SiteHealth } from '#shared/agent.ts'

const LOOK_MS = 20

interface Reported {
  metrics: Metrics
  health: SiteHealth[]
  state: string | null | undefined
  /** The time of the last change of the numbers of its sites. */
  counted: number
}

/** Held like that of an agent, until the health differs from the version in the request. */
export async function pulseOf(agent: Reported, { url, signal }: Request): Promise<Response> {
  const query = new URL(url).searchParams
  const end = performance.now() + Number(query.get('wait')) * 1000
  const isHeld = () => versionOf(agent) === query.get('health') && !signal.aborted
  while (isHeld() && performance.now() < end) await Bun.sleep(LOOK_MS)
  const version = query.get('state') === 'no' ? null : agent.state
  const { metrics, counted } = agent
  return Response.json({ metrics, version, health: versionOf(agent), counted })
}

const versionOf = ({ health }: Reported) => String(Bun.hash(JSON.stringify(health)))

import type { Outage, ReportFigures, SiteState } from '#shared/reports/api/report.ts'

export interface StateChange {
  at: string
  state: SiteState
}

interface Period {
  from: string
  to: string
}

interface Uptime {
  figures: ReportFigures['uptime']
  outages: Outage[]
}

const HUNDREDTHS = 10_000

/**
 * Computes the uptime of a period from the changes of the state: the last one before it, and those
 * in it, in order. A degraded site answers, so it counts as up. What was not measured counts as
 * neither, nor does a time in which the site was not in use.
 */
export function uptimeOf(changes: readonly StateChange[], period: Period): Uptime {
  const { from, to } = period
  const known = changes.filter(({ at }) => at < to)
  const [first] = known
  if (!first) return { figures: null, outages: [] }
  const spans = spansOf(known, period)
  const seconds: Record<SiteState, number> = { up: 0, degraded: 0, down: 0, unknown: 0, off: 0 }
  for (const span of spans)
    seconds[span.state] += (Date.parse(span.to) - Date.parse(span.from)) / 1000
  const outages = outagesOf(spans, to)
  const measured = seconds.up + seconds.degraded + seconds.down
  const share = measured > 0 ? (measured - seconds.down) / measured : null
  const figures = {
    since: first.at > from ? first.at : null,
    percent: share === null ? null : Math.floor(share * HUNDREDTHS) / 100,
    outages: outages.length,
    down_s: Math.round(seconds.down),
    unknown_s: Math.round(seconds.unknown),
  }
  return { figures, outages }
}

type Span = Period & Pick<StateChange, 'state'>

/** Returns the part of each state that lies in the period. */
const spansOf = (known: readonly StateChange[], { from, to }: Period): Span[] =>
  known
    .map(({ at, state }, place) => {
      const [begin = from] = [at, from].sort().slice(1)
      return { from: begin, to: known[place + 1]?.at ?? to, state }
    })
    .filter((span) => span.to > span.from)

/** Joins what follows each other without a gap; an outage up to the end of the period is open. */
function outagesOf(spans: readonly Span[], end: string): Outage[] {
  const outages: Outage[] = []
  for (const { from, to, state } of spans) {
    if (state !== 'down') continue
    const until = to === end ? null : to
    const last = outages.at(-1)
    if (last?.to === from) last.to = until
    else outages.push({ from, to: until })
  }
  return outages
}

import { useState } from 'react'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Badge, type Tone } from '#dashboard/web/ui/status.tsx'
import { countOutcomes, type IsolationOutcome, type IsolationResult } from '#shared/isolation.ts'

/** The worst first. */
const OUTCOMES: Record<IsolationOutcome, { name: string; tone: Tone }> = {
  succeeded: { name: 'succeeded', tone: 'bad' },
  error: { name: 'could not be tried', tone: 'warn' },
  not_applicable: { name: 'does not apply', tone: 'plain' },
  refused: { name: 'refused', tone: 'good' },
}
const ORDER = Object.keys(OUTCOMES)

/** Every attack with its outcome; refused attacks are collapsed. */
export function IsolationResults({ results }: { results: readonly IsolationResult[] }) {
  const [all, setAll] = useState(false)
  const { refused, succeeded } = countOutcomes(results)
  const sorted = results.toSorted(
    (one, other) => ORDER.indexOf(one.outcome) - ORDER.indexOf(other.outcome),
  )
  const shown = sorted.filter(({ outcome }) => all || outcome !== 'refused')
  return (
    <>
      <p className="px-4 py-2 font-medium">
        {succeeded === 0
          ? 'No attack succeeded.'
          : `${formatCount(succeeded, 'attack')} of one site on another succeeded.`}
      </p>
      <ul className="divide-y divide-line">
        {shown.map((result) => (
          <Result key={result.id} result={result} />
        ))}
      </ul>
      {refused > 0 && (
        <button
          type="button"
          aria-expanded={all}
          onClick={() => setAll(!all)}
          className="w-full border-t border-line px-4 py-2.5 text-left text-xs text-muted hover:bg-sunken hover:text-text"
        >
          {all ? 'Show less' : `${formatCount(refused, 'attack')} refused: show each`}
        </button>
      )}
    </>
  )
}

function Result({ result: { title, outcome, detail } }: { result: IsolationResult }) {
  const { name, tone } = OUTCOMES[outcome]
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <span className="min-w-0 flex-1 basis-40">{title}</span>
      <Badge tone={tone}>{name}</Badge>
      {detail !== '' && <p className="w-full text-xs break-words text-muted">{detail}</p>}
    </li>
  )
}

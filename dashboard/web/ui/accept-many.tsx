import type { BulkAsk, BulkAsks } from '#shared/api/bulk-operations.ts'
import { Allow, SENTENCES, wordsIn } from './accept.tsx'
import { formatCount } from './format.ts'
import { Notice } from './notice.tsx'

interface AcceptManyProps {
  asks: BulkAsks
  accepted: boolean
  onChange: (accepted: boolean) => void
}

/** Lists each change by site or server and asks to allow all of them; nothing if there is none. */
export function AcceptMany({ asks: { asks, unasked }, accepted, onChange }: AcceptManyProps) {
  const words = wordsIn(asks.flatMap(({ effects }) => effects))
  const unknown = asks.filter(({ error }) => error !== null)
  return (
    <>
      {words.length > 0 && (
        <Notice kind="warn" title="This changes what Hosting Control did not create">
          <dl className="flex max-h-64 flex-col gap-2 overflow-y-auto">
            {words.map((word) => (
              <div key={word}>
                <dt>{SENTENCES[word]}:</dt>
                {asks.map((ask) => (
                  <Changes key={`${ask.server_id} ${ask.site_id}`} of={ask} word={word} />
                ))}
              </div>
            ))}
          </dl>
          <Allow accepted={accepted} onChange={onChange} />
        </Notice>
      )}
      {(unknown.length > 0 || unasked > 0) && <NotKnown unknown={unknown} unasked={unasked} />}
    </>
  )
}

function Changes({ of: { domain, effects }, word }: { of: BulkAsk; word: string }) {
  const changed = effects.filter(({ asks }) => asks === word)
  if (changed.length === 0) return null
  return (
    <dd className="text-xs break-all">
      <span className="font-medium">{domain}</span>:{' '}
      {changed.map(({ kind, name }, at) => (
        <span key={`${kind} ${name}`}>
          {at > 0 && ', '}
          {kind} <code>{name}</code>
        </span>
      ))}
    </dd>
  )
}

function NotKnown({ unknown, unasked }: { unknown: readonly BulkAsk[]; unasked: number }) {
  const count = unknown.length + unasked
  return (
    <Notice kind="info" title={`No plan for ${count} of them`}>
      <ul className="max-h-32 overflow-y-auto text-xs">
        {unknown.map(({ server_id, site_id, domain, error }) => (
          <li key={`${server_id} ${site_id}`}>
            {domain}: {error?.message ?? error?.error}
          </li>
        ))}
        {unasked > 0 && (
          <li>{formatCount(unasked, 'other')} not checked: only the first 50 are.</li>
        )}
      </ul>
      <p className="mt-1">
        One that would change anything else that Hosting Control did not create fails and changes
        nothing.
      </p>
    </Notice>
  )
}

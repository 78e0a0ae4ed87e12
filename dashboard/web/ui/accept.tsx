import { ACCEPTABLE, type Effect, type Plan } from '#shared/kernel/plan.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { BulkAsk, BulkAsks } from '#shared/operations/api/bulk-operations.ts'
import { CheckField } from './check.tsx'
import { formatCount } from './format.ts'
import { Notice } from './notice.tsx'

type Consent = (typeof ACCEPTABLE)[number]

const SENTENCES: Record<Consent, string> = {
  name_taken_over: 'Another site currently serves this name',
  packages_changed: 'Packages that other sites may run on are upgraded and restarted',
  packages_removed: 'Packages are removed, with what runs on them',
  php_restarted: 'The PHP of other sites restarts',
  service_started: 'A stopped service starts, with the sites, jobs or databases that it has',
}

/** The changes of a plan to what Hosting Control did not create. */
function imposed(plan: Plan): Effect[] {
  return plan.steps.flatMap(({ effects }) => effects.filter(({ asks }) => asks !== undefined))
}

/** The consents that a plan needs; none if it changes only what Hosting Control created. */
export function consentsOf(plan: Plan | undefined): Consent[] {
  return consentsIn(plan ? imposed(plan) : [])
}

export function consentsIn(effects: readonly Effect[]): Consent[] {
  const consents = new Set(effects.map(({ asks }) => asks))
  return ACCEPTABLE.filter((consent) => consents.has(consent))
}

interface Answer {
  accepted: boolean
  onChange: (accepted: boolean) => void
}

/** Lists the changes and asks the user to allow them all. It shows nothing if there are none. */
export function Accept({ plan, ...answer }: Answer & { plan: Plan }) {
  const title = 'This changes what Hosting Control did not create on this server'
  return <Question title={title} changes={imposed(plan)} {...answer} />
}

/** Lists the changes on several sites or servers and asks for them, and lists those without a plan. */
export function AcceptMany({ asks: { asks, unasked }, ...answer }: Answer & { asks: BulkAsks }) {
  const changes = asks.flatMap(({ domain, effects }) =>
    effects.map((effect) => ({ ...effect, domain })),
  )
  const unknown = asks.filter(({ error }) => error !== null)
  return (
    <>
      <Question
        title="This changes what Hosting Control did not create"
        changes={changes}
        {...answer}
      />
      {unknown.length + unasked > 0 && <WithoutPlan unknown={unknown} unasked={unasked} />}
    </>
  )
}

interface QuestionProps extends Answer {
  title: string
  /** Each change; `domain` names its site or server when there are several. */
  changes: readonly (Effect & { domain?: string })[]
}

function Question({ title, changes, accepted, onChange }: QuestionProps) {
  const consents = consentsIn(changes)
  if (consents.length === 0) return null
  return (
    <Notice kind="warn" title={title}>
      <dl className="flex max-h-64 flex-col gap-2 overflow-y-auto">
        {consents.map((consent) => (
          <div key={consent}>
            <dt>{SENTENCES[consent]}:</dt>
            {changes
              .filter(({ asks }) => asks === consent)
              .map(({ domain, kind, name }) => (
                <dd key={`${domain} ${kind} ${name}`} className="text-xs break-all">
                  {domain && <span className="font-medium">{unicodeOf(domain)}: </span>}
                  {kind} <code>{name}</code>
                </dd>
              ))}
          </div>
        ))}
      </dl>
      <div className="mt-3">
        <CheckField label="Allow these changes" checked={accepted} onChange={onChange} />
      </div>
    </Notice>
  )
}

function WithoutPlan({ unknown, unasked }: { unknown: readonly BulkAsk[]; unasked: number }) {
  const count = unknown.length + unasked
  return (
    <Notice kind="info" title={`No plan for ${count} of them`}>
      <ul className="max-h-32 overflow-y-auto text-xs">
        {unknown.map(({ server_id, site_id, domain, error }) => (
          <li key={`${server_id} ${site_id}`}>
            {unicodeOf(domain)}: {error?.message ?? error?.error}
          </li>
        ))}
        {unasked > 0 && (
          <li>{formatCount(unasked, 'other')} not checked: only the first 50 are checked.</li>
        )}
      </ul>
      <p className="mt-1">
        An operation that would change something else that Hosting Control did not create fails
        without changes.
      </p>
    </Notice>
  )
}

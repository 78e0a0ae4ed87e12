import type { Effect, Plan } from '#shared/plan.ts'
import { ACCEPTABLE } from '#shared/plan.ts'
import { CheckField } from './check.tsx'
import { Notice } from './notice.tsx'

export type Word = (typeof ACCEPTABLE)[number]

export const SENTENCES: Record<Word, string> = {
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

/** The words that accept a plan; empty if it changes only its own. */
export function wordsOf(plan: Plan | undefined): Word[] {
  return wordsIn(plan ? imposed(plan) : [])
}

export function wordsIn(effects: readonly Effect[]): Word[] {
  const words = new Set(effects.map(({ asks }) => asks))
  return ACCEPTABLE.filter((word) => words.has(word))
}

interface AcceptProps {
  plan: Plan
  accepted: boolean
  onChange: (accepted: boolean) => void
}

/** Lists each change and asks to allow all of them; nothing if there is none. */
export function Accept({ plan, accepted, onChange }: AcceptProps) {
  const words = wordsOf(plan)
  if (words.length === 0) return null
  const effects = imposed(plan)
  return (
    <Notice kind="warn" title="This changes what Hosting Control did not create on this server">
      <dl className="flex flex-col gap-2">
        {words.map((word) => (
          <div key={word}>
            <dt>{SENTENCES[word]}:</dt>
            {effects
              .filter(({ asks }) => asks === word)
              .map(({ kind, name }) => (
                <dd key={`${kind} ${name}`} className="text-xs break-all">
                  {kind} <code>{name}</code>
                </dd>
              ))}
          </div>
        ))}
      </dl>
      <Allow accepted={accepted} onChange={onChange} />
    </Notice>
  )
}

export function Allow({ accepted, onChange }: Pick<AcceptProps, 'accepted' | 'onChange'>) {
  return (
    <div className="mt-3">
      <CheckField label="Allow these changes" checked={accepted} onChange={onChange} />
    </div>
  )
}

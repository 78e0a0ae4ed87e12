import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { cloneSite, type NewClone } from '#dashboard/web/api/copies.ts'
import { planQuery } from '#dashboard/web/api/site-work.ts'
import { useDnsChoice, useRefreshRecords } from '#dashboard/web/features/sites/dns-choice.tsx'
import { PlanPreview } from '#dashboard/web/features/sites/plan-preview.tsx'
import { useWorkConsent } from '#dashboard/web/features/sites/use-work-consent.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { type DialogState, dialogOf } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { useDebounced } from '#dashboard/web/ui/use-debounced.ts'
import type { DnsChoice } from '#shared/domains/dns-choice.ts'
import { Domain } from '#shared/kernel/fields.ts'
import { pairOf } from '#shared/kernel/site-names.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { PhpChoice, ServerChoice, SourceChoice } from './choices.tsx'
import { type Chosen, fromOf, type Origin, stagingName } from './origin.ts'

interface CloneDialogProps extends DialogState {
  origin: Origin
  /** A protected copy. */
  staging?: boolean
  /** The initial choice. Default: the site as it is now. */
  chosen?: Chosen
}

/** Clones a site or a backup to a new site. */
export const CloneDialog = dialogOf(CloneForm, ({ origin, staging = false, chosen = 'now' }) => {
  const domain = unicodeOf(origin.domain)
  if (staging) return { title: `Create a staging site of ${domain}`, about: ABOUT.staging }
  return chosen === 'now'
    ? { title: `Clone ${domain}`, about: ABOUT.clone }
    : { title: `Restore ${domain} as a new site`, about: ABOUT.restore }
})

const ABOUT = {
  staging:
    'A protected copy to try changes on. The live site stays as it is, and keeps working while it is copied.',
  clone:
    'A new site with the same files and database. Its address replaces the old one in the database; the original stays as it is.',
  restore:
    'A new site with the files and the database of the backup. Its address replaces the old one in the database.',
} as const

function CloneForm({ origin, onClose, ...props }: CloneDialogProps) {
  const { staging: isStaging = false, chosen: initial = 'now' } = props
  const may = useMay()
  const own = origin.site?.server_id
  const [draft, setDraft] = useState<CloneDraft>(() => ({
    domain: isStaging ? stagingName(origin.domain) : origin.site ? '' : origin.domain,
    server_id: own !== undefined && may('operate', { server_id: own }) ? own : undefined,
    chosen: initial,
    php: '',
    staging: isStaging,
    with_jobs: initial !== 'now',
  }))
  const copy = useClone(origin, draft, onClose)
  const change = (news: Partial<CloneDraft>) => {
    copy.forget()
    setDraft((before) => ({ ...before, ...news }))
  }
  const isElsewhere = own !== undefined && draft.server_id !== own
  return (
    <DialogForm
      action={draft.staging ? 'Create staging site' : actionOf(draft)}
      onSubmit={copy.start}
      onCancel={onClose}
      isBlocked={copy.isBlocked}
      isBusy={copy.isBusy}
      error={copy.error}
    >
      <TextField
        label="Address"
        name="domain"
        hint="Without http:// and without a path. Its DNS must point to the server."
        error={copy.refusals.domain}
        data-first
        value={draft.domain}
        onChange={(domain) => change({ domain })}
        placeholder={`new.${origin.domain}`}
        autoCapitalize="none"
        inputMode="url"
      />
      <SourceChoice
        origin={origin}
        value={draft.chosen}
        onChange={(chosen) => change({ chosen, with_jobs: chosen !== 'now' })}
        error={copy.refusals.from}
      />
      <ServerChoice
        value={draft.server_id}
        own={own}
        onChange={(server_id) => change({ server_id, php: '' })}
      />
      <PhpChoice
        server_id={draft.server_id}
        original={origin.site}
        value={draft.php}
        onChange={(php) => change({ php })}
        error={copy.refusals.php}
      />
      {isElsewhere && draft.chosen === 'now' && (
        <Notice kind="info" title="The site is backed up first">
          The copy on the other server is made from this backup.
        </Notice>
      )}
      {isStaging ? (
        <StagingRules />
      ) : (
        <CheckField
          label="Protect as a staging site"
          about="Visitors need a password, search engines are kept out, and it sends no mail and runs no jobs."
          checked={draft.staging}
          onChange={(staging) => change({ staging })}
        />
      )}
      {!draft.staging && (
        <CheckField
          label="Copy the cron jobs"
          about="The copy then runs the cron jobs of the original, too. Settings of PHP, page cache and XML-RPC are always copied."
          checked={draft.with_jobs}
          onChange={(with_jobs) => change({ with_jobs })}
        />
      )}
      {copy.records}
      {copy.work && <PlanPreview work={copy.work} />}
      {copy.question}
    </DialogForm>
  )
}

const actionOf = ({ chosen }: CloneDraft) => (chosen === 'now' ? 'Clone site' : 'Restore backup')

const RULES = [
  'Visitors need a user name and a password',
  'Search engines are instructed not to list it',
  'Its mail is caught on the server and not sent',
  'Its scheduled jobs do not run',
  'Requests to known payment providers are refused',
  'WordPress sees the environment type "staging"',
]

/** What differs between a staging site and the live one. */
function StagingRules() {
  return (
    <section aria-label="Differences" className="rounded-lg bg-sunken px-4 py-3">
      <p className="font-medium">What is different on the staging site</p>
      <ul className="mt-1 list-disc pl-5 text-muted">
        {RULES.map((rule) => (
          <li key={rule}>{rule}</li>
        ))}
      </ul>
    </section>
  )
}

/** The values of the form. */
interface CloneDraft {
  domain: string
  server_id: number | undefined
  chosen: Chosen
  /** Empty: as the original. */
  php: string
  staging: boolean
  with_jobs: boolean
}

const PAUSE_MS = 400

/** The plan of a copy while its form is filled in, and its start. */
function useClone(origin: Origin, draft: CloneDraft, onStarted: () => void) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const paused = useDebounced(JSON.stringify(draft), PAUSE_MS)
  const settled: CloneDraft = JSON.parse(paused)
  const typed = Domain.safeParse(draft.domain)
  const isSettled = paused === JSON.stringify(draft)
  const names = Domain.safeParse(settled.domain).success ? pairOf(settled.domain) : []
  const records = useDnsChoice(settled.server_id ?? 0, settled.server_id ? names : [])
  const work = records.isOpen ? undefined : workOf(origin, settled, records.chosen)
  const planning = useQuery(planQuery(work))
  const consent = useWorkConsent(work)
  const { mutate, reset, isPending, error } = useMutation({
    mutationFn: async () => work?.begin(consent.accepting),
    onError: useRefreshRecords(),
    onSuccess: async (made) => {
      onStarted()
      void client.invalidateQueries({ queryKey: ['sites'] })
      void client.invalidateQueries({ queryKey: ['site'] })
      if (!made) return
      const { id, operation } = made
      await navigate({
        to: '/sites/$site_id',
        params: { site_id: String(id) },
        search: operation ? { operation } : {},
      })
    },
  })
  const refused = { ...refusalsIn(planning.error), ...refusalsIn(error) }
  const mistake = typed.success ? undefined : typed.error.issues[0]?.message
  const hasRefusals = Object.keys(refused).length > 0
  return {
    /** The work that makes the copy; undefined while it has no plan. */
    work: hasRefusals ? undefined : work,
    refusals: {
      ...refused,
      ...(draft.domain !== '' && mistake !== undefined && { domain: mistake }),
    } as Record<string, string>,
    isBlocked: !isSettled || work === undefined || hasRefusals || consent.isOpen,
    isBusy: isPending,
    error: Object.keys(refusalsIn(error)).length > 0 ? undefined : error,
    records: records.fields,
    question: consent.question,
    start: () => mutate(),
    /** After a change of the form. */
    forget: reset,
  }
}

/** Returns the work that makes the copy; undefined until everything is chosen. */
function workOf(
  origin: Origin,
  { domain, server_id, chosen, php, staging, with_jobs }: CloneDraft,
  records: { dns?: DnsChoice },
) {
  const from = fromOf(origin, chosen)
  if (!Domain.safeParse(domain).success || server_id === undefined || !from) return undefined
  const jobs = staging ? {} : { with_jobs }
  const input: NewClone = { domain, from, staging, ...jobs, ...(php && { php }), ...records }
  return cloneSite(server_id, input)
}

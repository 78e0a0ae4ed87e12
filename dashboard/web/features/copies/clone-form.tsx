import { useState } from 'react'
import { PlanPreview } from '#dashboard/web/features/sites/plan-preview.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { PhpChoice, ServerChoice, SourceChoice } from './choices.tsx'
import { type Chosen, type Origin, stagingName } from './origin.ts'
import { StagingRules } from './staging-rules.tsx'
import { type CopyDraft, useCopy } from './use-copy.ts'

interface CloneFormProps {
  origin: Origin
  staging: boolean
  first: Chosen
  onClose: () => void
}

export function CloneForm({ origin, staging: first_staging, first, onClose }: CloneFormProps) {
  const [draft, setDraft] = useState<CopyDraft>(() => ({
    domain: first_staging ? stagingName(origin.domain) : origin.site ? '' : origin.domain,
    server_id: origin.site?.server_id,
    chosen: first,
    php: '',
    staging: first_staging,
    with_jobs: first !== 'now',
  }))
  const copy = useCopy(origin, draft, onClose)
  const change = (news: Partial<CopyDraft>) => {
    copy.forget()
    setDraft((before) => ({ ...before, ...news }))
  }
  const isElsewhere = origin.site !== undefined && draft.server_id !== origin.site.server_id
  return (
    <DialogForm
      action={draft.staging ? 'Create staging site' : actionOf(draft)}
      onSubmit={copy.start}
      onCancel={onClose}
      isBlocked={copy.isBlocked}
      isBusy={copy.isBusy}
      error={copy.error}
    >
      <Field
        label="Address"
        name="domain"
        hint="Without http:// and without a path. Its DNS must point to the server."
        error={copy.refusals.domain}
      >
        <Input
          data-first
          value={draft.domain}
          onChange={(event) => change({ domain: event.target.value })}
          placeholder={`new.${origin.domain}`}
          autoCapitalize="none"
          inputMode="url"
        />
      </Field>
      <SourceChoice
        origin={origin}
        value={draft.chosen}
        onChange={(chosen) => change({ chosen, with_jobs: chosen !== 'now' })}
        error={copy.refusals.from}
      />
      <ServerChoice
        value={draft.server_id}
        own={origin.site?.server_id}
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
      {first_staging ? (
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

const actionOf = ({ chosen }: CopyDraft) => (chosen === 'now' ? 'Clone site' : 'Restore backup')

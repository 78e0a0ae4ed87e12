import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { setPrimary } from '#dashboard/web/api/domains.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { BeforeChange } from '#dashboard/web/features/backups/before-change.tsx'
import { useDnsChoice, useShowRecordsAnew } from '#dashboard/web/features/sites/dns-choice.tsx'
import { PlanPreview } from '#dashboard/web/features/sites/plan-preview.tsx'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { useWorkConsent } from '#dashboard/web/features/sites/use-work-consent.tsx'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { pairOf } from '#shared/kernel/site-names.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { type Choice, PrimaryFields } from './fields.tsx'
import { PrimaryPreview } from './preview.tsx'

interface ChangePrimaryProps extends DialogState {
  site: Site
  /** The name to begin with; empty: a new one. */
  name: string
}

/** The name, then what would change, then the change itself. */
export function ChangePrimary({ site, name, open, onClose }: ChangePrimaryProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      wide
      title={`Primary domain of ${unicodeOf(site.domain)}`}
      about="WordPress, its links and its certificate get another name. System user, folders and database stay."
    >
      {open && <Form key={name} site={site} name={name} onClose={onClose} />}
    </Dialog>
  )
}

function Form({ site, name, onClose }: Omit<ChangePrimaryProps, 'open'>) {
  const [choice, setChoice] = useState<Choice>({ primary: name, former: 'redirect' })
  const [previewed, setPreviewed] = useState<string>()
  const [isKnown, setIsKnown] = useState(false)
  const [without_backup, setWithoutBackup] = useState(false)
  const primary = choice.primary.trim()
  const isPreviewed = primary !== '' && previewed === primary
  const records = useDnsChoice(site.server_id, isPreviewed && isKnown ? pairOf(primary) : [])
  const input = { primary, former: choice.former, without_backup, ...records.chosen }
  const work = isPreviewed && isKnown && !records.isOpen ? setPrimary(site, input) : undefined
  const consent = useWorkConsent(work)
  const show = useStart(site.id)
  const { mutate, isPending, error } = useMutation({
    ...{ mutationFn: show, onSuccess: onClose, onError: useShowRecordsAnew() },
  })
  const preview = () => {
    setIsKnown(false)
    setPreviewed(primary)
  }
  return (
    <DialogForm
      action={isPreviewed ? 'Change primary domain' : 'Preview change'}
      onSubmit={() => {
        if (!isPreviewed) preview()
        else if (work) mutate({ ...work, ...consent.accepting })
      }}
      onCancel={onClose}
      isBlocked={primary === '' || (isPreviewed && (work === undefined || consent.isOpen))}
      isBusy={isPending}
      error={error}
      isDestructive={isPreviewed}
    >
      <PrimaryFields present={site.domain} value={choice} onChange={setChoice} />
      {isPreviewed && <PrimaryPreview site={site} primary={primary} onKnown={setIsKnown} />}
      {work && (
        <>
          <Notice kind="info" title="The site pauses while its database changes">
            Visitors get cached pages meanwhile. If a step fails, the site keeps its current domain.
            To undo the change later, make the former name primary again.
          </Notice>
          <BeforeChange
            site={site}
            label="Change without a backup"
            checked={without_backup}
            onChange={setWithoutBackup}
          />
          {records.fields}
          <PlanPreview work={work} />
        </>
      )}
      {consent.question}
    </DialogForm>
  )
}

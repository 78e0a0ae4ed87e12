import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { pushStaging } from '#dashboard/web/api/copies.ts'
import type { SitePlace } from '#dashboard/web/api/sites.ts'
import { BeforeChange, useBackupFirst } from '#dashboard/web/features/backups/before-change.tsx'
import { PlanPreview } from '#dashboard/web/features/sites/plan-preview.tsx'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { useWorkConsent } from '#dashboard/web/features/sites/use-work-consent.tsx'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { type Choice, type Comparison, choiceFor, overwrittenIn } from './choice.ts'
import { Comparing } from './comparing.tsx'
import { FileChoice } from './file-choice.tsx'
import { NeedsBackup, useNeedsBackup } from './needs-backup.tsx'
import { TableChoice } from './table-choice.tsx'

type Named = SitePlace & { domain: string }

interface PushStagingProps extends DialogState {
  staging: Named
  live: Named
}

/** Compares both sites, and replaces what is chosen on the live one. */
export function PushStaging({ open, onClose, staging, live }: PushStagingProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      wide
      title={`Push ${unicodeOf(staging.domain)} to ${unicodeOf(live.domain)}`}
      about="Choose what replaces files and tables of the live site. Its address and its wp-config.php stay."
    >
      {open && (
        <Comparing live={live} staging={staging} onClose={onClose}>
          {(found) => <Form staging={staging} live={live} found={found} onClose={onClose} />}
        </Comparing>
      )}
    </Dialog>
  )
}

interface FormProps extends Omit<PushStagingProps, 'open'> {
  found: Comparison
}

function Form({ staging, live, found, onClose }: FormProps) {
  const [choice, setChoice] = useState<Choice>(() => choiceFor(found))
  const [without_backup, setWithoutBackup] = useState(false)
  const show = useStart(live.id)
  const overwrite = overwrittenIn(found, choice)
  const isEmpty = !choice.files && choice.tables.length === 0
  const work = isEmpty
    ? undefined
    : pushStaging(live, { staging_id: staging.id, ...choice, overwrite, without_backup })
  const consent = useWorkConsent(work)
  const needsBackup = useNeedsBackup(work)
  const isFirst = useBackupFirst(live)
  const { mutate, isPending, error } = useMutation({ mutationFn: show, onSuccess: onClose })
  return (
    <DialogForm
      action="Push to live"
      onSubmit={() => work && mutate({ ...work, ...consent.accepting })}
      onCancel={onClose}
      isBlocked={work === undefined || consent.isOpen || needsBackup}
      isBusy={isPending}
      error={error}
      isDestructive
    >
      <FileChoice
        files={found.files}
        checked={choice.files}
        onChange={(files) => setChoice({ ...choice, files })}
      />
      <TableChoice
        tables={found.tables}
        chosen={choice.tables}
        onChange={(tables) => setChoice({ ...choice, tables })}
      />
      {overwrite.length > 0 && (
        <Notice kind="bad" title="Changes on the live site are lost">
          Since the copy, the live site has changed {overwrite.join(', ')}. What was added there,
          such as orders, users and comments, is replaced by the content of the staging site.
        </Notice>
      )}
      <Notice kind="info" title="The push can be undone for a week">
        The live site pauses for a moment while it is replaced. Its previous files and database are
        kept on the server until then.
      </Notice>
      {!isFirst && (needsBackup || without_backup) && (
        <NeedsBackup live={live} checked={without_backup} onChange={setWithoutBackup} />
      )}
      {isFirst && (
        <BeforeChange
          site={live}
          label="Push without a backup"
          checked={without_backup}
          onChange={setWithoutBackup}
        />
      )}
      {work && !needsBackup && <PlanPreview work={work} />}
      {consent.question}
    </DialogForm>
  )
}

import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ApiError } from '#dashboard/web/api/client.ts'
import { comparisonQuery, pushStaging } from '#dashboard/web/api/copies.ts'
import type { SitePlace, SiteWork } from '#dashboard/web/api/site-call.ts'
import { planQuery } from '#dashboard/web/api/site-work.ts'
import { BackUpFirst } from '#dashboard/web/features/backups/back-up-first.tsx'
import { BeforeChange, useBackupFirst } from '#dashboard/web/features/backups/before-change.tsx'
import { useOutcome } from '#dashboard/web/features/operations/use-outcome.ts'
import { PlanPreview } from '#dashboard/web/features/sites/plan-preview.tsx'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { useWorkConsent } from '#dashboard/web/features/sites/use-work-consent.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { DialogFooter, type DialogState, dialogOf } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import type { RefusalCode } from '#shared/kernel/errors.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { OPERATION_TYPES } from '#shared/operation-types.ts'
import { type Choice, type Comparison, choiceFor, overwrittenIn } from './choice.ts'
import { TableChoice } from './table-choice.tsx'

type NamedSite = SitePlace & { domain: string }

interface PushStagingProps extends DialogState {
  staging: NamedSite
  live: NamedSite
}

/** Compares both sites, and replaces what is chosen on the live one. */
export const PushStaging = dialogOf(
  ({ live, staging, onClose }: PushStagingProps) => (
    <Comparing live={live} staging={staging} onClose={onClose}>
      {(found) => <Form staging={staging} live={live} found={found} onClose={onClose} />}
    </Comparing>
  ),
  ({ staging, live }) => ({
    wide: true,
    title: `Push ${unicodeOf(staging.domain)} to ${unicodeOf(live.domain)}`,
    about:
      'Choose what replaces files and tables of the live site. Its address and its wp-config.php stay.',
  }),
)

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

const NEEDED: RefusalCode = 'backup_needed'
/** Whether the server refuses the push because the live site has no recent backup. */
function useNeedsBackup(work: SiteWork | undefined): boolean {
  const { error } = useQuery(planQuery(work))
  return error instanceof ApiError && error.code === NEEDED
}

interface NeedsBackupProps {
  live: SitePlace & { domain: string }
  checked: boolean
  onChange: (checked: boolean) => void
}

const NeedsBackup = ({ live, checked, onChange }: NeedsBackupProps) => (
  <Notice kind="warn" title={`${unicodeOf(live.domain)} has no backup of the last hour`}>
    <p className="mb-2">
      <BackUpFirst site_id={live.id} />. The previous state that is kept for a week is on the same
      server.
    </p>
    <CheckField label="Push without a backup" checked={checked} onChange={onChange} />
  </Notice>
)

interface ComparingProps {
  live: SitePlace
  staging: SitePlace
  onClose: () => void
  children: (found: Comparison) => ReactNode
}

/** Compares both sites, and shows the result when it is there. */
function Comparing({ live, staging, ...props }: ComparingProps) {
  const started = useQuery(comparisonQuery(live, staging.id))
  if (started.data === undefined) return <QueryState of={started} />
  return <Followed key={started.data} operation_id={started.data} {...props} />
}

const Compared = OPERATION_TYPES['site.compare'].outcome.result

type FollowedProps = Omit<ComparingProps, 'live' | 'staging'> & { operation_id: string }

function Followed({ operation_id, onClose, children }: FollowedProps) {
  const { result, problem } = useOutcome(operation_id, Compared, 'The result cannot be read')
  if (result) return children(result)
  return (
    <>
      {problem !== undefined ? (
        <Notice kind="bad" title="The sites could not be compared">
          {problem}
        </Notice>
      ) : (
        <p role="status" className="text-muted">
          Comparing files and tables of both sites. This takes some minutes for a large database…
        </p>
      )}
      <DialogFooter onCancel={onClose} />
    </>
  )
}

interface FileChoiceProps {
  files: Comparison['files']
  checked: boolean
  onChange: (checked: boolean) => void
}

/** Whether the files are pushed, with those that differ. */
function FileChoice({ files, checked, onChange }: FileChoiceProps) {
  const { added, changed, removed, live_changed, live_known } = files
  const parts = { added, changed, removed }
  const named = Object.entries(parts).filter(([, { count }]) => count > 0)
  return (
    <section aria-label="Files" className="flex flex-col gap-1">
      <CheckField
        label="Files"
        about={
          named.length === 0
            ? 'The files of both sites are the same.'
            : `On the staging site: ${named.map(([name, { count }]) => `${formatNumber(count)} ${name}`).join(', ')}. wp-config.php stays as it is, and uploads are only added.`
        }
        checked={checked}
        disabled={named.length === 0}
        onChange={onChange}
      />
      {checked && live_changed.count > 0 && (
        <Notice
          kind="warn"
          title={
            live_known
              ? 'Changed files of the live site are lost'
              : 'Files of the live site may be lost'
          }
        >
          {live_known
            ? `Since the copy, the live site has written ${formatCount(live_changed.count, 'file')} that the push reverts or removes, for example with an update of a plugin:`
            : `It is not known what the live site has written since the copy. The push reverts or removes ${formatCount(live_changed.count, 'file')} of it; after a refresh of the staging site, or a push of the files, changes are known:`}
          <PathList {...live_changed} />
        </Notice>
      )}
      {named.length > 0 && (
        <details className="ml-6.5">
          <summary className="cursor-pointer text-muted">Show files</summary>
          {named.map(([name, { count, examples }]) => (
            <div key={name} className="mt-1">
              <p className="text-xs font-medium">
                {formatNumber(count)} {name}
              </p>
              <PathList count={count} examples={examples} />
            </div>
          ))}
        </details>
      )}
    </section>
  )
}

function PathList({ count, examples }: Comparison['files']['added']) {
  return (
    <ul className="text-xs text-muted">
      {examples.map((path) => (
        <li key={path} className="font-mono break-all">
          {path}
        </li>
      ))}
      {count > examples.length && <li>and {formatNumber(count - examples.length)} more</li>}
    </ul>
  )
}

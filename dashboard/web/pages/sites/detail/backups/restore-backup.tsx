import { useState } from 'react'
import { restoreBackup } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { ChooseParts } from '#dashboard/web/pages/sites/detail/backups/parts/choose-parts.tsx'
import { NOTHING, partsOf } from '#dashboard/web/pages/sites/detail/backups/parts/chosen.ts'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'
import { formatBytes, formatTime } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Segments } from '#dashboard/web/ui/segments.tsx'
import type { BackupView } from '#shared/backups/api/backups.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

const CHOICES = [
  { value: 'both', name: 'Files and database' },
  { value: 'files', name: 'Files only' },
  { value: 'database', name: 'Database only' },
  { value: 'parts', name: 'Choose parts' },
] as const
/** Those of a backup without a database. */
const FILES: readonly Choice[] = ['files', 'parts']
type Choice = (typeof CHOICES)[number]['value']

interface RestoreBackupProps extends DialogState {
  site: Site
  backup: BackupView
}

/** Chooses what of a backup replaces the present state; only the files if it has no tables. */
export function RestoreBackup({ site, backup, ...dialog }: RestoreBackupProps) {
  const hasDatabase = backup.tables > 0
  const [choice, setChoice] = useState<Choice>(hasDatabase ? 'both' : 'files')
  const [chosen, setChosen] = useState(NOTHING)
  const whole = { files: choice !== 'database', database: choice !== 'files' }
  const parts = choice === 'parts' ? partsOf(chosen) : whole
  return (
    <WorkDialog
      {...dialog}
      title={`Restore ${unicodeOf(site.domain)}`}
      about={`The backup of ${formatTime(backup.at)} in ${backup.target}, ${formatBytes(backup.bytes)}.`}
      site={site}
      work={parts && restoreBackup(site, { backup_id: backup.id, parts })}
      action="Restore backup"
      isDestructive
    >
      <Segments
        label="What to restore"
        choices={hasDatabase ? CHOICES : CHOICES.filter(({ value }) => FILES.includes(value))}
        value={choice}
        onChange={setChoice}
      />
      {choice === 'parts' && (
        <ChooseParts site={site} backup={backup} chosen={chosen} onChange={setChosen} />
      )}
      <Notice kind="warn" title={LOSSES[choice]}>
        Everything is fetched and checked first. Then the site pauses for a moment while it is
        replaced. The previous state is kept on the server for a week, and the restore can be undone
        until then.
      </Notice>
      {choice !== 'database' && backup.excluded.length > 0 && (
        <Notice kind="info" title="This backup leaves out files">
          After the restore the site does not have them: {backup.excluded.join(', ')}
        </Notice>
      )}
    </WorkDialog>
  )
}

const LOSSES: Record<Choice, string> = {
  both: 'Changes to the site since the backup disappear, such as orders and uploads',
  files: 'Files that were changed or added since the backup disappear, such as uploads',
  database: 'Content that was added since the backup disappears, such as orders and comments',
  parts: 'The chosen parts return to their state in the backup; everything else stays as it is',
}

import { useEffect, useRef, useState } from 'react'
import {
  type Dump,
  dumpIn,
  importDump,
  problemOf,
  uploadDump,
} from '#dashboard/web/api/database-import.ts'
import type { SiteWork } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { BeforeChange } from '#dashboard/web/features/backups/before-change.tsx'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import { formatBytes } from '#dashboard/web/ui/format.ts'
import { ProgressBar } from '#dashboard/web/ui/progress-bar.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

/** Uploads a dump with its progress, then starts the import. */
export function ImportDialog({ site, ...dialog }: DialogState & { site: Site }) {
  const [dump, setDump] = useState<Dump>()
  const [replace, setReplace] = useState(false)
  const [without_backup, setWithout] = useState(false)
  const [sent, setSent] = useState<number>()
  const show = useStart(site.id)
  const uploading = useRef<AbortController>(undefined)
  // A dialog that is closed must not start the import later.
  useEffect(() => () => uploading.current?.abort(), [])
  const problem = dump && problemOf(dump.file)
  const start = async (work: SiteWork) => {
    const controller = new AbortController()
    uploading.current = controller
    const { signal } = controller
    const ended = () => setSent(undefined)
    if (dump) await uploadDump(site, dump, { onProgress: setSent, signal }).finally(ended)
    await show(work)
  }
  return (
    <WorkDialog
      {...dialog}
      title={`Import a dump into the database of ${unicodeOf(site.domain)}`}
      about="The statements run with the rights of this site. PHP stops meanwhile; visitors see pages of the page cache, or an error. Addresses in the dump stay as they are."
      site={site}
      work={
        dump && problem === undefined
          ? importDump(site, dump, { replace, without_backup })
          : undefined
      }
      action="Import database"
      isDestructive
      start={start}
    >
      <Field
        label="Dump"
        name="dump"
        hint="A file that ends in .sql or .sql.gz, with tables only."
        error={problem}
      >
        <Input
          type="file"
          accept=".sql,.gz"
          onChange={({ target }) => setDump(target.files?.[0] && dumpIn(target.files[0]))}
        />
      </Field>
      <CheckField
        label="Remove all current tables first"
        about="Otherwise tables that the dump does not have stay."
        checked={replace}
        onChange={setReplace}
      />
      <BeforeChange
        site={site}
        label="Import without a backup"
        checked={without_backup}
        onChange={setWithout}
      />
      {dump && sent !== undefined && (
        <div className="flex items-center gap-3">
          <ProgressBar label="Upload" total={dump.file.size} parts={{ busy: sent }} />
          <span className="text-xs text-muted tabular-nums">
            {formatBytes(sent)} of {formatBytes(dump.file.size)}
          </span>
        </div>
      )}
    </WorkDialog>
  )
}

import { useQuery } from '@tanstack/react-query'
import { ChevronRight, Download, File, Folder, X } from 'lucide-react'
import { Fragment, useId, useState } from 'react'
import { browseQuery, downloadAddress } from '#dashboard/web/api/backups.ts'
import { restoreBackup } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'
import { startDownload } from '#dashboard/web/ui/download.ts'
import { Input } from '#dashboard/web/ui/field.tsx'
import { formatBytes, formatTime } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Segments } from '#dashboard/web/ui/segments.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import type { BackupView } from '#shared/backups/api/backups.ts'
import type { BackupParts } from '#shared/backups/backup-parts.ts'
import type { BackupEntry } from '#shared/backups/backup-read.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

const CHOICES = [
  { value: 'both', name: 'Files and database' },
  { value: 'files', name: 'Files only' },
  { value: 'database', name: 'Database only' },
  { value: 'parts', name: 'Choose parts' },
] as const
/** The choices for a backup without a database. */
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

interface ChoosePartsProps extends OfBackup {
  chosen: Chosen
  onChange: (chosen: Chosen) => void
}

/** Files, folders and tables of a backup, and what is chosen of them. */
function ChooseParts({ chosen, onChange, ...of }: ChoosePartsProps) {
  const [kind, setKind] = useState<'files' | 'tables'>('files')
  const { paths, tables } = chosen
  const choices = [
    { value: 'files', name: named('Files and folders', paths.length) },
    { value: 'tables', name: named('Tables', tables.length) },
  ] as const
  return (
    <div className="flex flex-col gap-3">
      {of.backup.tables > 0 && (
        <Segments label="Parts" choices={choices} value={kind} onChange={setKind} />
      )}
      {kind === 'files' ? (
        <>
          <FolderList
            {...of}
            paths={paths}
            onChange={(next) => onChange({ ...chosen, paths: next })}
          />
          <ChosenPaths paths={paths} onChange={(next) => onChange({ ...chosen, paths: next })} />
        </>
      ) : (
        <TableList
          {...of}
          tables={tables}
          onChange={(next) => onChange({ ...chosen, tables: next })}
        />
      )}
    </div>
  )
}

const named = (name: string, count: number) => (count === 0 ? name : `${name} (${count})`)

interface ChosenPathsProps {
  paths: readonly string[]
  onChange: (paths: string[]) => void
}

function ChosenPaths({ paths, onChange }: ChosenPathsProps) {
  if (paths.length === 0) return null
  return (
    <ul aria-label="Chosen files and folders" className="flex flex-col gap-1">
      {paths.map((path) => (
        <li key={path} className="flex items-center gap-2 rounded-md bg-sunken pl-3">
          <span className="min-w-0 flex-1 break-all text-sm">{path}</span>
          <IconButton
            name={`Do not restore ${path}`}
            icon={<X />}
            onClick={() => onChange(paths.filter((one) => one !== path))}
          />
        </li>
      ))}
    </ul>
  )
}

interface TableListProps extends OfBackup {
  tables: readonly string[]
  onChange: (tables: string[]) => void
}

/** The tables of a backup by name. */
function TableList({ site, backup, tables, onChange }: TableListProps) {
  const [search, setSearch] = useState('')
  const { data, error, refetch } = useQuery(browseQuery(site, backup.id, ''))
  const names = data?.tables?.filter((name) => name.includes(search)) ?? []
  const choose = (name: string, isChosen: boolean) =>
    onChange(isChosen ? [...tables, name] : tables.filter((one) => one !== name))
  if (data && data.tables === null)
    return <p className="text-muted">This backup has no list of its tables: restore them all.</p>
  return (
    <div className="rounded-lg border border-line">
      <div className="border-b border-line p-2">
        <Input
          type="search"
          aria-label="Search tables"
          placeholder="Search tables"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          // It would submit the form of the dialog.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      </div>
      <QueryState of={{ data, error, refetch }} rows={5} flush />
      {data && (
        <ul aria-label="Tables of the backup" className="max-h-64 overflow-y-auto px-3 py-1">
          {names.map((name) => (
            <li key={name} className="py-1.5">
              <CheckField
                label={name}
                checked={tables.includes(name)}
                onChange={(isChosen) => choose(name, isChosen)}
              />
            </li>
          ))}
        </ul>
      )}
      {data && names.length === 0 && <p className="px-3 pb-3 text-muted">No table matches.</p>}
    </div>
  )
}

interface OfBackup {
  site: Site
  backup: BackupView
}

interface FolderListProps extends OfBackup {
  paths: readonly string[]
  onChange: (paths: string[]) => void
}

/** One folder of a backup at a time: its folders are opened, and anything in it is chosen. */
function FolderList({ site, backup, paths, onChange }: FolderListProps) {
  const [folder, setFolder] = useState('')
  const { data, error, refetch } = useQuery(browseQuery(site, backup.id, folder))
  return (
    <div className="rounded-lg border border-line">
      <Trail folder={folder} onOpen={setFolder} />
      <QueryState of={{ data, error, refetch }} rows={5} flush />
      {data && (
        <ul aria-label="Files of the backup" className="max-h-64 overflow-y-auto py-1">
          {data.entries.map((entry) => {
            const path = joined(folder, entry.name)
            return (
              <Entry
                key={entry.name}
                entry={entry}
                above={chosenAbove(paths, path)}
                path={path}
                address={downloadAddress(site, backup.id, 'files', path)}
                onOpen={() => setFolder(path)}
                onChoose={(isChosen) => onChange(withPath(paths, path, isChosen))}
              />
            )
          })}
        </ul>
      )}
      {data?.entries.length === 0 && <p className="px-3 pb-3 text-muted">This folder is empty.</p>}
      {data?.is_cut && (
        <p className="border-t border-line px-3 py-2 text-xs text-muted">
          Only the first 1,000 entries are shown. Choose the folder to restore all of it.
        </p>
      )}
    </div>
  )
}

function Trail({ folder, onOpen }: { folder: string; onOpen: (folder: string) => void }) {
  const trail = trailOf(folder)
  return (
    <nav
      aria-label="Folder of the backup"
      className="flex flex-wrap items-center gap-1 border-b border-line px-3 py-2 text-sm"
    >
      {trail.map(({ name, path }, at) => (
        <Fragment key={path}>
          {at > 0 && <ChevronRight aria-hidden className="size-3.5 text-muted" />}
          {path === folder ? (
            <span aria-current="location" className="font-medium break-all">
              {visible(name)}
            </span>
          ) : (
            <button
              type="button"
              onClick={() => onOpen(path)}
              className="break-all text-accent hover:underline"
            >
              {visible(name)}
            </button>
          )}
        </Fragment>
      ))}
    </nav>
  )
}

interface EntryProps {
  entry: BackupEntry
  path: string
  /** The chosen path that contains it. */
  above: string | undefined
  address: string
  onOpen: () => void
  onChoose: (isChosen: boolean) => void
}

function Entry({ entry, path, above, address, onOpen, onChoose }: EntryProps) {
  const box = useId()
  const name = visible(entry.name)
  const isFolder = entry.kind === 'directory'
  const Icon = isFolder ? Folder : File
  return (
    <li className="flex items-center gap-2.5 px-3 hover:bg-sunken">
      <input
        id={box}
        type="checkbox"
        aria-label={`Restore ${name}`}
        checked={above !== undefined}
        disabled={!entry.can_choose || (above !== undefined && above !== path)}
        onChange={(event) => onChoose(event.target.checked)}
        className="size-4 shrink-0 cursor-pointer accent-accent-solid disabled:cursor-default"
      />
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      {isFolder && entry.can_choose ? (
        <button
          type="button"
          onClick={onOpen}
          className="min-h-8 min-w-0 flex-1 text-left break-all text-accent hover:underline"
        >
          {name}
        </button>
      ) : (
        <label htmlFor={box} className="min-h-8 min-w-0 flex-1 cursor-pointer py-1.5 break-all">
          {name}
        </label>
      )}
      {entry.kind === 'file' && (
        <span className="text-xs whitespace-nowrap text-muted tabular-nums">
          {formatBytes(entry.size)}
        </span>
      )}
      {entry.can_choose && (isFolder || entry.kind === 'file') && (
        <Button
          kind="quiet"
          onClick={() => startDownload(address)}
          aria-label={`Download ${name}`}
          title={`Download ${name}`}
          icon={<Download />}
          className="px-2"
        />
      )}
    </li>
  )
}

/** What of a backup is restored: paths below the public folder, and tables. */
interface Chosen {
  paths: readonly string[]
  tables: readonly string[]
}

const NOTHING: Chosen = { paths: [], tables: [] }

const MAX_PATHS = 100

/** Returns the chosen parts; undefined when nothing is chosen, or more than one restore takes. */
function partsOf({ paths, tables }: Chosen): BackupParts | undefined {
  if (paths.length + tables.length === 0 || paths.length > MAX_PATHS) return undefined
  return {
    files: paths.length > 0,
    database: tables.length > 0,
    ...(paths.length > 0 && { paths: [...paths] }),
    ...(tables.length > 0 && { tables: [...tables] }),
  }
}

const joined = (folder: string, name: string): string =>
  folder === '' ? name : `${folder}/${name}`

/** The chosen path that contains this one, or is it. */
const chosenAbove = (paths: readonly string[], path: string): string | undefined =>
  paths.find((one) => path === one || path.startsWith(`${one}/`))

/** A chosen folder replaces what was chosen in it. */
function withPath(paths: readonly string[], path: string, isChosen: boolean): string[] {
  const others = paths.filter((one) => one !== path)
  return isChosen ? [...others.filter((one) => !one.startsWith(`${path}/`)), path] : others
}

/** The folders from the public one to this one, as names with their paths. */
function trailOf(folder: string): { name: string; path: string }[] {
  const names = folder === '' ? [] : folder.split('/')
  return [
    { name: 'public', path: '' },
    ...names.map((name, at) => ({ name, path: names.slice(0, at + 1).join('/') })),
  ]
}

/** A name in one visible line. */
const visible = (name: string): string => name.replace(/\p{Cc}/gu, '\ufffd')

import { useQuery } from '@tanstack/react-query'
import { ChevronRight, Download, File, Folder } from 'lucide-react'
import { Fragment, useId, useState } from 'react'
import { browseQuery, downloadAddress } from '#dashboard/web/api/backups.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { ButtonAnchor } from '#dashboard/web/ui/button.tsx'
import { formatBytes } from '#dashboard/web/ui/format.ts'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import type { BackupView } from '#shared/backups/api/backups.ts'
import type { BackupEntry } from '#shared/backups/backup-read.ts'
import { chosenAbove, joined, trailOf, visible, withPath } from './chosen.ts'

export interface OfBackup {
  site: Site
  backup: BackupView
}

interface FolderListProps extends OfBackup {
  paths: readonly string[]
  onChange: (paths: string[]) => void
}

/** One folder of a backup at a time: its folders are opened, and anything in it is chosen. */
export function FolderList({ site, backup, paths, onChange }: FolderListProps) {
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
        <ButtonAnchor
          kind="quiet"
          href={address}
          download
          aria-label={`Download ${name}`}
          title={`Download ${name}`}
          icon={<Download />}
          className="px-2"
        />
      )}
    </li>
  )
}

import { X } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '#dashboard/web/ui/button.tsx'
import { Segments } from '#dashboard/web/ui/segments.tsx'
import type { Chosen } from './chosen.ts'
import { FolderList, type OfBackup } from './folder-list.tsx'
import { TableList } from './table-list.tsx'

interface ChoosePartsProps extends OfBackup {
  chosen: Chosen
  onChange: (chosen: Chosen) => void
}

/** Files, folders and tables of a backup, and what is chosen of them. */
export function ChooseParts({ chosen, onChange, ...of }: ChoosePartsProps) {
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

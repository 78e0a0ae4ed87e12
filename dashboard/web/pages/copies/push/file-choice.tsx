import { CheckField } from '#dashboard/web/ui/check.tsx'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import type { Comparison } from './choice.ts'

interface FileChoiceProps {
  files: Comparison['files']
  checked: boolean
  onChange: (checked: boolean) => void
}

/** Whether the files are pushed, with those that differ. */
export function FileChoice({ files, checked, onChange }: FileChoiceProps) {
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

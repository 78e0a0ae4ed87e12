import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import type { BulkTarget, SkippedTarget } from '#shared/api/bulk-operations.ts'

const SHOWN = 200

interface BulkTargetsProps {
  /** Undefined until they are known. */
  targets: readonly BulkTarget[] | undefined
  skipped: readonly SkippedTarget[]
}

/** The current targets, and the skipped sites with the reason. */
export function BulkTargets({ targets, skipped }: BulkTargetsProps) {
  const servers = new Set(targets?.map(({ server_id }) => server_id)).size
  const on = formatCount(servers, 'server', 'servers')
  return (
    <>
      <details className="rounded-lg border border-line bg-sunken">
        <summary className="cursor-pointer px-3 py-2">
          Which sites
          {targets && ` (${formatNumber(targets.length)} on ${on})`}
        </summary>
        {targets && <List of={targets} />}
      </details>
      {skipped.length > 0 && (
        <Notice
          kind="warn"
          title={`${formatCount(skipped.length, 'site is', 'sites are')} skipped`}
        >
          <details>
            <summary className="cursor-pointer">
              Found on their servers, not created by Hosting Control
            </summary>
            <List of={skipped} />
          </details>
        </Notice>
      )}
    </>
  )
}

function List({ of }: { of: readonly BulkTarget[] }) {
  return (
    <ul className="max-h-48 overflow-y-auto border-t border-line px-3 py-2 text-xs">
      {of.slice(0, SHOWN).map(({ site_id, domain }) => (
        <li key={site_id} className="truncate">
          {domain}
        </li>
      ))}
      {of.length > SHOWN && <li>and {formatNumber(of.length - SHOWN)} more</li>}
    </ul>
  )
}

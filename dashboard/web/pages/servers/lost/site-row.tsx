import { Check } from '#dashboard/web/ui/check.tsx'
import { Select } from '#dashboard/web/ui/field.tsx'
import { formatBytes, formatCount } from '#dashboard/web/ui/format.ts'
import { SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Cell } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { LostServerView, LostSite } from '#shared/recovery/api/lost-servers.ts'

interface SiteRowProps {
  site: LostSite
  destinations: LostServerView['destinations']
  chosen: number | undefined
  isSelected: boolean
  onSelect: () => void
  onChoose: (server_id: number) => void
}

/** One site with its newest backup and the server that takes it. */
export function SiteRow({ site, destinations, chosen, ...choice }: SiteRowProps) {
  const { id, php, state, reason } = site
  const domain = unicodeOf(site.domain)
  const to = destinations.find((one) => one.id === chosen)
  const lacks = to !== undefined && !to.php_versions.includes(php)
  return (
    <tr>
      <Cell>
        <Check name={`Select ${domain}`} checked={choice.isSelected} onChange={choice.onSelect} />
      </Cell>
      <Cell>
        <SiteLink id={id} className="font-medium wrap-anywhere hover:underline">
          {domain}
        </SiteLink>
        <p className="text-xs text-muted">PHP {php}</p>
        {state === 'failed' && <p className="text-xs text-bad">Restore failed: {reason}</p>}
      </Cell>
      <Cell>
        <Backup of={site.backup} />
      </Cell>
      <Cell>
        <Select
          aria-label={`Server for ${domain}`}
          value={chosen ?? ''}
          onChange={(event) => choice.onChoose(Number(event.target.value))}
        >
          {chosen === undefined && <option value="">Choose a server</option>}
          {destinations.map(({ id: server_id, name }) => (
            <option key={server_id} value={server_id}>
              {name}
            </option>
          ))}
        </Select>
        {lacks && (
          <p className="mt-1 text-xs text-bad">
            {to.name} does not have PHP {php}: install it there.
          </p>
        )}
      </Cell>
    </tr>
  )
}

function Backup({ of: backup }: { of: LostSite['backup'] }) {
  if (!backup) return <span className="text-bad">none</span>
  const { at, target, bytes, proven, excluded } = backup
  return (
    <>
      <span className="flex flex-wrap items-center gap-2">
        <Time at={at} />
        <Proof of={proven} />
      </span>
      <p className="text-xs text-muted">
        {formatBytes(bytes)} in {target}
        {excluded > 0 && `, without ${formatCount(excluded, 'excluded path')}`}
      </p>
    </>
  )
}

function Proof({ of: proven }: { of: boolean | null }) {
  if (proven === null) return <Badge tone="warn">not tested</Badge>
  return proven ? <Badge tone="good">proven</Badge> : <Badge tone="bad">test failed</Badge>
}

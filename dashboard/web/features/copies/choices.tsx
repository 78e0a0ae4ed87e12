import { useQuery } from '@tanstack/react-query'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { serverQuery } from '#dashboard/web/api/servers.ts'
import { SelectField } from '#dashboard/web/ui/field.tsx'
import { named } from '#dashboard/web/ui/option.ts'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import type { FleetServer } from '#shared/overview/api/fleet.ts'
import { backupName, type Chosen, type Origin } from './origin.ts'

interface SourceChoiceProps {
  origin: Origin
  value: Chosen
  onChange: (value: Chosen) => void
  error?: string | undefined
}

/** The site as it is now, or one of its backups. */
export const SourceChoice = ({ origin, ...props }: SourceChoiceProps) => (
  <SelectField
    {...props}
    label="Copy of"
    name="from"
    options={[
      ...(origin.site ? [{ value: 'now' as const, name: 'The site as it is now' }] : []),
      ...origin.backups.map((backup) => ({ value: backup.id, name: backupName(backup) })),
    ]}
  />
)

interface ServerChoiceProps {
  value: number | undefined
  /** The server of the original. */
  own: number | undefined
  onChange: (server_id: number) => void
}

/** The servers with an agent on which the user may create sites; that of the original first. */
export function ServerChoice({ value, own, onChange }: ServerChoiceProps) {
  const { data } = useQuery(fleetQuery)
  const may = useMay()
  const servers = (data?.servers ?? []).filter(
    ({ id, status }) => status !== 'pending' && may('operate', { server_id: id }),
  )
  const sorted = servers.toSorted((one, other) => Number(other.id === own) - Number(one.id === own))
  const nameOf = ({ id, name, status }: FleetServer) =>
    `${name}${id === own ? ' (the same server)' : ''}${status === 'offline' ? ' (offline: waits until it is online)' : ''}`
  return (
    <SelectField
      label="Server"
      name="server_id"
      value={value}
      options={[
        ...(value === undefined ? [{ value, name: 'Choose a server' }] : []),
        ...sorted.map((server) => ({ value: server.id, name: nameOf(server) })),
      ]}
      onChange={(server_id) => server_id !== undefined && onChange(server_id)}
    />
  )
}

interface PhpChoiceProps {
  server_id: number | undefined
  original: { server_id: number; php?: string } | undefined
  /** Empty: as the original. */
  value: string
  onChange: (php: string) => void
  error: string | undefined
}

/** One of the versions that the server has. */
export function PhpChoice({ server_id = 0, original, ...props }: PhpChoiceProps) {
  const { data } = useQuery({ ...serverQuery(server_id), enabled: server_id > 0 })
  const versions = [...(data?.php_versions ?? [])].sort().reverse()
  const same = samePhp(original, server_id, versions)
  return (
    <SelectField
      {...props}
      label="PHP version"
      name="php"
      options={[
        { value: '', name: same ? `${same}, as the original` : defaultPhp(original) },
        ...named(...versions.filter((version) => version !== same)),
      ]}
    />
  )
}

/**
 * Returns the label of the default choice; for a deleted site, the server reads the version from
 * the backup.
 */
const defaultPhp = (original: PhpChoiceProps['original']) =>
  original ? 'The default' : 'As in the backup, if the server has it'

/** The version of the original, if the server has it. */
function samePhp(original: PhpChoiceProps['original'], server_id: number, versions: string[]) {
  const php = original?.php
  const has = php && (original?.server_id === server_id || versions.includes(php))
  return has ? php : undefined
}

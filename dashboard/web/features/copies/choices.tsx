import { useQuery } from '@tanstack/react-query'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { serverQuery } from '#dashboard/web/api/servers.ts'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import { backupName, type Chosen, type Origin } from './origin.ts'

interface SourceChoiceProps {
  origin: Origin
  value: Chosen
  onChange: (value: Chosen) => void
  error: string | undefined
}

/** The site as it is now, or one of its backups. */
export function SourceChoice({ origin, value, onChange, error }: SourceChoiceProps) {
  return (
    <Field label="Copy of" name="from" error={error}>
      <Select
        value={value}
        onChange={({ target }) => onChange(target.value === 'now' ? 'now' : Number(target.value))}
      >
        {origin.site && <option value="now">The site as it is now</option>}
        {origin.backups.map((backup) => (
          <option key={backup.id} value={backup.id}>
            {backupName(backup)}
          </option>
        ))}
      </Select>
    </Field>
  )
}

interface ServerChoiceProps {
  value: number | undefined
  /** The server of the original. */
  own: number | undefined
  onChange: (server_id: number) => void
}

/** The servers with an agent; the one of the original first. */
export function ServerChoice({ value, own, onChange }: ServerChoiceProps) {
  const { data } = useQuery(fleetQuery)
  const servers = (data?.servers ?? []).filter(({ status }) => status !== 'pending')
  const sorted = servers.toSorted((one, other) => Number(other.id === own) - Number(one.id === own))
  return (
    <Field label="Server" name="server_id">
      <Select value={value ?? ''} onChange={({ target }) => onChange(Number(target.value))}>
        {value === undefined && <option value="">Choose a server</option>}
        {sorted.map(({ id, name, status }) => (
          <option key={id} value={id}>
            {name}
            {id === own && ' (the same server)'}
            {status === 'offline' && ' (offline: waits until it is online)'}
          </option>
        ))}
      </Select>
    </Field>
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
export function PhpChoice({ server_id = 0, original, value, onChange, error }: PhpChoiceProps) {
  const { data } = useQuery({ ...serverQuery(server_id), enabled: server_id > 0 })
  const versions = [...(data?.php_versions ?? [])].sort().reverse()
  const kept = keptPhp(original, server_id, versions)
  return (
    <Field label="PHP version" name="php" error={error}>
      <Select value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">{kept ? `${kept}, as the original` : usualPhp(original)}</option>
        {versions
          .filter((version) => version !== kept)
          .map((version) => (
            <option key={version}>{version}</option>
          ))}
      </Select>
    </Field>
  )
}

/**
 * Returns the label of the default choice; for a deleted site, the server reads the version from
 * the backup.
 */
const usualPhp = (original: PhpChoiceProps['original']) =>
  original ? 'The default' : 'As in the backup, if the server has it'

/** The version of the original, if the server has it. */
function keptPhp(original: PhpChoiceProps['original'], server_id: number, versions: string[]) {
  const php = original?.php
  const has = php && (original?.server_id === server_id || versions.includes(php))
  return has ? php : undefined
}

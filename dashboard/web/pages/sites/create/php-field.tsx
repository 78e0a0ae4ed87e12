import { useQuery } from '@tanstack/react-query'
import { serverQuery } from '#dashboard/web/api/servers.ts'
import { settingsQuery } from '#dashboard/web/api/settings.ts'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import { defaultPhp } from '#shared/php/default-php.ts'
import { supportEnds } from '#shared/php/php-support.ts'

interface PhpFieldProps {
  server_id: number | undefined
  /** Empty: the default. */
  value: string
  onChange: (php: string) => void
  error: string | undefined
}

/** One of the versions that the server has. */
export function PhpField({ server_id = 0, value, onChange, error }: PhpFieldProps) {
  const { data: server } = useQuery({ ...serverQuery(server_id), enabled: server_id > 0 })
  const { data: settings } = useQuery(settingsQuery)
  const versions = [...(server?.php_versions ?? [])].sort().reverse()
  const usual = settings && defaultPhp(versions, settings.default_php, server?.os)
  return (
    <Field label="PHP version" name="php" error={error} hint={hintOf(server, versions, value)}>
      <Select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{usual ? `${usual} (the default)` : 'The default'}</option>
        {versions
          .filter((version) => version !== usual)
          .map((version) => (
            <option key={version}>{version}</option>
          ))}
      </Select>
    </Field>
  )
}

function hintOf(server: { os: string } | undefined, versions: string[], value: string): string {
  if (!server) return 'Choose a server to see its versions.'
  if (versions.length === 0)
    return 'The server has not reported its versions. It installs this one.'
  const ends = value && supportEnds(value, server.os)
  if (ends && Date.parse(ends) < Date.now()) return `PHP ${value} gets no security fixes any more.`
  return `The server has ${versions.join(', ')}.`
}

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Settings, settingsQuery } from '#dashboard/web/api/site-settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Field, Input, TextArea } from '#dashboard/web/ui/field.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { PHP_LIMITS, PHP_VALUES, type PhpLimit } from '#shared/php-values.ts'
import { pairsOf, textOf } from './lines.ts'
import { SettingsDialog } from './settings-dialog.tsx'

const LABELS: Record<PhpLimit, { name: string; unit: string }> = {
  memory_limit: { name: 'Memory of a request', unit: 'MB' },
  upload: { name: 'Size of an upload', unit: 'MB' },
  execution_time: { name: 'Time of a request', unit: 'seconds' },
  input_vars: { name: 'Fields of a form', unit: '' },
}

/** The limits of PHP and other settings of php.ini. */
export function PhpLimitsCard({ site, isOnServer }: { site: Site; isOnServer: boolean }) {
  const { data, error, refetch } = useQuery(settingsQuery(site))
  const { dialog, show } = useDialog()
  return (
    <Card
      title="PHP settings"
      actions={isOnServer && data && <Button onClick={show}>Change PHP settings</Button>}
    >
      <QueryState of={{ data, error, refetch }} rows={4} />
      {data && <Facts of={factsOf(data)} />}
      {data && dialog.open && <Change site={site} settings={data} {...dialog} />}
    </Card>
  )
}

function factsOf({ php_settings, php_limits }: Settings) {
  const limits = PHP_LIMITS.map((name) => {
    const { usual, most } = php_limits[name]
    const set = php_settings?.[name]
    const value = Math.min(set ?? usual, most)
    const { name: label, unit } = LABELS[name]
    return [
      label,
      <>
        {`${value} ${unit}`}
        {set === undefined && <span className="text-xs text-muted"> as its tier</span>}
        {set !== undefined && set > most && (
          <span className="text-xs text-muted"> of {set}: the most of its tier</span>
        )}
      </>,
    ] as const
  })
  return { ...Object.fromEntries(limits), ...php_settings?.values }
}

type Draft = Record<PhpLimit, string>

function Change({ site, settings, ...dialog }: DialogState & { site: Site; settings: Settings }) {
  const { php_settings, php_limits } = settings
  const [draft, setDraft] = useState(
    () =>
      Object.fromEntries(
        PHP_LIMITS.map((name) => [name, String(php_settings?.[name] ?? '')]),
      ) as Draft,
  )
  const [values, setValues] = useState(textOf(php_settings?.values ?? {}))
  const limits = PHP_LIMITS.filter((name) => draft[name].trim() !== '')
  const chosen = Object.fromEntries(limits.map((name) => [name, Number(draft[name])]))
  const own = pairsOf(values)
  const isUsual = limits.length === 0 && Object.keys(own).length === 0
  return (
    <SettingsDialog
      {...dialog}
      site={site}
      title={`PHP settings of ${site.domain}`}
      about="PHP is tested with the new settings, and reloaded without losing a request. If it does not answer with them, the former ones are restored."
      action="Apply PHP settings"
      input={{ php_settings: isUsual ? null : { ...chosen, values: own } }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        {PHP_LIMITS.map((name) => (
          <Field
            key={name}
            name={name}
            label={LABELS[name].name}
            hint={`${LABELS[name].unit} ${php_limits[name].usual} as its tier, at most ${php_limits[name].most}`.trim()}
          >
            <Input
              inputMode="numeric"
              placeholder={String(php_limits[name].usual)}
              value={draft[name]}
              onChange={({ target }) => setDraft({ ...draft, [name]: target.value })}
            />
          </Field>
        ))}
      </div>
      <Field
        name="values"
        label="Other settings of php.ini"
        hint={`One in each line: max_file_uploads = 50. These can be set: ${Object.keys(PHP_VALUES).join(', ')}.`}
      >
        <TextArea value={values} onChange={({ target }) => setValues(target.value)} />
      </Field>
    </SettingsDialog>
  )
}

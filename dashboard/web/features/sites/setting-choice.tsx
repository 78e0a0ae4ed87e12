import { useState } from 'react'
import type { SettingsInput } from '#dashboard/web/api/site-settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { SelectField } from '#dashboard/web/ui/field.tsx'
import { optionsOf } from '#dashboard/web/ui/option.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { AccessRow } from './access/access-row.tsx'
import { SettingsDialog } from './settings-dialog.tsx'

interface SettingChoiceProps<T extends string> {
  site: Site
  /** The name of the field. */
  name: string
  /** The change of the settings. */
  inputOf: (value: T) => SettingsInput
  /** What is chosen: `HSTS`. */
  title: string
  /** The label of the choice in the dialog. */
  label: string
  /** The label of the button. */
  action: string
  names: Readonly<Record<T, string>>
  /** What each value means. */
  abouts: Readonly<Record<T, string>>
  value: T
  /** Default: the title and the name of the value. */
  heading?: string
}

/** A setting of a site that has one of a few values, and the dialog that changes it. */
export function SettingChoice<T extends string>(props: SettingChoiceProps<T>) {
  const { title, names, abouts, value, action } = props
  const { dialog, show } = useDialog()
  const { heading = `${title}: ${names[value]}` } = props
  return (
    <AccessRow name={heading} about={abouts[value]}>
      <Button needs="operate" onClick={show}>
        {action}
      </Button>
      {dialog.open && <ChangeSetting {...props} {...dialog} />}
    </AccessRow>
  )
}

function ChangeSetting<T extends string>(props: SettingChoiceProps<T> & DialogState) {
  const { site, name, title, label, action, names, abouts, inputOf, open, onClose } = props
  const [value, setValue] = useState(props.value)
  return (
    <SettingsDialog
      open={open}
      onClose={onClose}
      site={site}
      title={`${title} of ${unicodeOf(site.domain)}`}
      about={abouts[value]}
      action={action}
      input={inputOf(value)}
    >
      <SelectField
        name={name}
        label={label}
        value={value}
        options={optionsOf(names)}
        onChange={setValue}
      />
    </SettingsDialog>
  )
}

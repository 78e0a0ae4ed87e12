import { type FormEvent, type InputHTMLAttributes, useState } from 'react'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Field, Input, Select } from '#dashboard/web/ui/field.tsx'
import type { SettingKey } from '#shared/settings/api/settings.ts'
import { useSave } from './use-save.ts'

interface TextSettingProps {
  setting: SettingKey
  label: string
  hint: string
  value: string
  /** The value as the API takes it. */
  read: (text: string) => unknown
  input?: InputHTMLAttributes<HTMLInputElement>
  /** One of these, instead of any text. */
  options?: readonly string[]
}

/** One text setting with its own save button. */
export function TextSetting({ setting, label, value, ...props }: TextSettingProps) {
  const { hint, read, input, options } = props
  const [draft, setDraft] = useState<string>()
  const { save, isPending, refusal, reset } = useSave(setting, label)
  const text = draft ?? value
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save(read(text.trim()), { onSuccess: () => setDraft(undefined) })
  }
  const type = (next: string) => {
    reset()
    setDraft(next === value ? undefined : next)
  }
  return (
    <form onSubmit={submit} noValidate className="flex flex-wrap items-start gap-3">
      <div className="w-full sm:w-72">
        <Field name={setting} label={label} hint={hint} error={refusal}>
          {options ? (
            <Select value={text} onChange={(event) => type(event.target.value)}>
              {options.map((option) => (
                <option key={option}>{option}</option>
              ))}
            </Select>
          ) : (
            <Input
              {...input}
              value={text}
              onChange={(event) => type(event.target.value)}
              className="tabular-nums"
            />
          )}
        </Field>
      </div>
      {draft !== undefined && (
        <div className="flex gap-2 sm:mt-[1.625rem]">
          <Button type="submit" kind="primary" busy={isPending}>
            Save
          </Button>
          <Button
            kind="quiet"
            onClick={() => {
              reset()
              setDraft(undefined)
            }}
          >
            Cancel
          </Button>
        </div>
      )}
    </form>
  )
}

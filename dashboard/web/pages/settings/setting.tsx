import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type InputHTMLAttributes, type ReactNode, useState } from 'react'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { changeSetting, settingsQuery } from '#dashboard/web/api/settings.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { SelectField, TextField } from '#dashboard/web/ui/field.tsx'
import { named } from '#dashboard/web/ui/option.ts'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import type { SettingKey } from '#shared/settings/api/settings.ts'

/** Saves one setting; `refusal` is the error of the value. */
export function useSave(key: SettingKey, name: string) {
  const client = useQueryClient()
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (value: unknown) => changeSetting(key, value),
    onSuccess: ({ value }) => {
      client.setQueryData(settingsQuery.queryKey, (old) => old && { ...old, [key]: value })
      toast(`${name} is saved`)
    },
    onError: (problem) => {
      if (refusalsIn(problem).value === undefined) toastError(problem)
    },
  })
  return { save: mutate, isPending, refusal: refusalsIn(error).value, reset }
}

interface SwitchSettingProps {
  setting: SettingKey
  label: string
  about: string
  value: boolean
}

/** A setting that is on or off, and is saved at once. */
export function SwitchSetting({ setting, label, about, value }: SwitchSettingProps) {
  const { save, isPending } = useSave(setting, label)
  return (
    <CheckField label={label} about={about} checked={value} disabled={isPending} onChange={save} />
  )
}

interface SettingFormProps<D> {
  saving: ReturnType<typeof useSave>
  /** The changed value; undefined while it is that of the setting. */
  draft: D | undefined
  onDraft: (draft: undefined) => void
  /** The value as the API takes it. */
  value: unknown
  children: ReactNode
}

/** The fields of a setting, and after a change the buttons that save and discard it. */
export function SettingForm<D>({ saving, draft, onDraft, value, children }: SettingFormProps<D>) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saving.save(value, { onSuccess: () => onDraft(undefined) })
  }
  const discard = () => {
    saving.reset()
    onDraft(undefined)
  }
  return (
    <form onSubmit={submit} noValidate className="flex flex-wrap items-start gap-3">
      {children}
      {draft !== undefined && (
        <div className="flex gap-2 sm:mt-[1.625rem]">
          <Button type="submit" kind="primary" busy={saving.isPending}>
            Save
          </Button>
          <Button kind="quiet" onClick={discard}>
            Cancel
          </Button>
        </div>
      )}
    </form>
  )
}

interface TextSettingProps {
  setting: SettingKey
  label: string
  hint: string
  value: string
  /** The value as the API takes it; default: the text. */
  read?: (text: string) => unknown
  input?: InputHTMLAttributes<HTMLInputElement>
  /** One of these, instead of any text. */
  options?: readonly string[]
}

/** A setting that is a text, with its own save button. */
export function TextSetting({ setting, value, options, input, ...props }: TextSettingProps) {
  const { label, hint, read = (text) => text } = props
  const [draft, setDraft] = useState<string>()
  const saving = useSave(setting, label)
  const text = draft ?? value
  const field = {
    name: setting,
    label,
    hint,
    error: saving.refusal,
    value: text,
    onChange: (next: string) => {
      saving.reset()
      setDraft(next === value ? undefined : next)
    },
  }
  return (
    <SettingForm saving={saving} draft={draft} onDraft={setDraft} value={read(text.trim())}>
      <div className="w-full sm:w-72">
        {options ? (
          <SelectField {...field} options={named(...options)} />
        ) : (
          <TextField {...input} {...field} className="tabular-nums" />
        )}
      </div>
    </SettingForm>
  )
}

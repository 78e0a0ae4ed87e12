import type { QueryKey } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { KIND_NAMES } from '#dashboard/web/labels/backup.ts'
import { SelectField, TextAreaField, TextField } from '#dashboard/web/ui/field.tsx'
import { optionsOf } from '#dashboard/web/ui/option.ts'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import {
  type Draft,
  draftOf,
  FIELD_NAMES,
  inputOf,
  type Kind,
  mistakesOf,
  refusalsOf,
  type TargetValues,
} from './draft.ts'
import { KIND_FIELDS } from './fields.ts'

interface PlaceFormOptions {
  /** The target to edit; undefined for a new one. */
  target: TargetValues | undefined
  /** The name of a target that has no field for it. */
  name?: string
  kinds?: Readonly<Record<Kind, string>>
  /** Below the kind; default: what a target of the chosen kind is. */
  hint?: string
  call: (input: ReturnType<typeof inputOf>) => Promise<unknown>
  changes: readonly QueryKey[]
  done: string
  onClose: () => void
}

/** The form of a backup target: its values, its mistakes once it was sent, and the fields of the place. */
export function usePlaceForm(options: PlaceFormOptions) {
  const { target, name, kinds = KIND_NAMES, hint, call, changes, done, onClose } = options
  const [draft, setDraft] = useState(() => ({ ...draftOf(target), ...(name && { name }) }))
  const [isTried, setIsTried] = useState(false)
  const { form, reset, ...refused } = useFormCall(() => call(inputOf(draft)), {
    fields: FIELD_NAMES.flatMap((field) => [field, `place.${field}`]),
    changes,
    done,
    onDone: onClose,
    onClose,
  })
  const mistakes = mistakesOf(draft)
  const refusals = { ...refusalsOf(refused.refusals), ...(isTried && mistakes) }
  const change = (part: Partial<Draft>) => {
    reset()
    setDraft({ ...draft, ...part })
  }
  const onSubmit = () => {
    setIsTried(true)
    if (Object.keys(mistakes).length === 0) form.onSubmit()
  }
  return {
    form: { ...form, onSubmit },
    draft,
    change,
    refusals,
    placeFields: (
      <>
        <SelectField
          label="Kind"
          name="kind"
          hint={hint ?? KIND_FIELDS[draft.kind].about}
          value={draft.kind}
          options={optionsOf(kinds)}
          // Another kind needs another secret.
          onChange={(kind) => change({ kind, secret: '' })}
        />
        <PlaceFields
          draft={draft}
          change={change}
          refusals={refusals}
          isNew={target?.place.kind !== draft.kind}
        />
      </>
    ),
  }
}

interface PlaceFieldsProps {
  draft: Draft
  change: (part: Partial<Draft>) => void
  refusals: Readonly<Record<string, string>>
  /** Whether its secret must be entered. */
  isNew: boolean
}

/** The fields of the kind of a place, and its secret. */
function PlaceFields({ draft, change, refusals, isNew }: PlaceFieldsProps): ReactNode {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {KIND_FIELDS[draft.kind].fields.map(({ name, label, hint, placeholder, type }) => {
        const isKept = name === 'secret' && !isNew
        const field = {
          label,
          name,
          hint: isKept ? 'Leave empty to keep the current one.' : hint,
          error: refusals[name],
          value: draft[name],
          placeholder,
          onChange: (text: string) => change({ [name]: text }),
        }
        return (
          <div key={name} className={type === 'lines' ? 'sm:col-span-2' : undefined}>
            {type === 'lines' ? (
              <TextAreaField {...field} />
            ) : (
              <TextField {...field} {...(type && { type, autoComplete: 'new-password' })} />
            )}
          </div>
        )
      })}
    </div>
  )
}

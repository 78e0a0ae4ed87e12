import { useState } from 'react'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import type { BulkAction } from './bulk-action.ts'

/** The parameters of a bulk operation, as its fields have them. */
export function useChosen({ param, fields }: BulkAction) {
  const [value, setValue] = useState('')
  const [given, setGiven] = useState<Record<string, unknown>>()
  const params = fields ? (given ?? {}) : paramsOf(param, value)
  const isChosen = fields ? given !== undefined : !param || value !== ''
  return { value, setValue, setGiven, params, isChosen }
}

function paramsOf(param: BulkAction['param'], value: string): Record<string, unknown> {
  if (!param) return {}
  return { [param.name]: param.toParam ? param.toParam(value) : value }
}

interface ParamFieldsProps {
  action: BulkAction
  chosen: ReturnType<typeof useChosen>
  refusals: Record<string, string>
}

export function ParamFields({ action, chosen, refusals }: ParamFieldsProps) {
  const { param, fields: Fields } = action
  if (Fields) return <Fields onChange={chosen.setGiven} />
  if (!param) return null
  return (
    <Field label={param.label} name={param.name} error={refusals[param.name]}>
      <Select value={chosen.value} onChange={(event) => chosen.setValue(event.target.value)}>
        <option value="">Choose…</option>
        {param.options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.name}
          </option>
        ))}
      </Select>
    </Field>
  )
}

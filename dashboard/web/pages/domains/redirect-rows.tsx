import { Plus, Trash2 } from 'lucide-react'
import { Button } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { Field, Input, Select } from '#dashboard/web/ui/field.tsx'
import { type DraftRedirect, emptyRedirect } from './draft.ts'

interface RedirectRowsProps {
  primary: string
  value: DraftRedirect[]
  onChange: (rows: DraftRedirect[]) => void
  mistake: string | undefined
}

/** One row for each redirect. */
export function RedirectRows({ primary, value, onChange, mistake }: RedirectRowsProps) {
  const change = (row: DraftRedirect) =>
    onChange(value.map((each) => (each.key === row.key ? row : each)))
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1.5 font-medium">Redirects</legend>
      {value.map((row) => (
        <Row
          key={row.key}
          row={row}
          primary={primary}
          onChange={change}
          onRemove={() => onChange(value.filter(({ key }) => key !== row.key))}
        />
      ))}
      {mistake !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {mistake}
        </p>
      )}
      <div>
        <Button icon={<Plus />} onClick={() => onChange([...value, emptyRedirect(value)])}>
          Add redirect
        </Button>
      </div>
    </fieldset>
  )
}

interface RowProps {
  row: DraftRedirect
  primary: string
  onChange: (row: DraftRedirect) => void
  onRemove: () => void
}

function Row({ row, primary, onChange, onRemove }: RowProps) {
  const set = (part: Partial<DraftRedirect>) => onChange({ ...row, ...part })
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Redirect from" name={`from-${row.key}`}>
          <Input
            value={row.domain}
            placeholder="old.example.com"
            autoCapitalize="none"
            inputMode="url"
            onChange={({ target }) => set({ domain: target.value })}
          />
        </Field>
        <Field label="To" name={`to-${row.key}`}>
          <Input
            value={row.to}
            placeholder={primary}
            autoCapitalize="none"
            inputMode="url"
            onChange={({ target }) => set({ to: target.value })}
          />
        </Field>
      </div>
      <div className="flex flex-wrap items-end justify-between gap-3">
        <Field label="Type" name={`type-${row.key}`}>
          <Select
            value={row.isPermanent ? '301' : '302'}
            onChange={({ target }) => set({ isPermanent: target.value === '301' })}
          >
            <option value="301">301, permanent</option>
            <option value="302">302, temporary</option>
          </Select>
        </Field>
        <CheckField
          label="Keep the path"
          checked={row.keepsPath}
          onChange={(keepsPath) => set({ keepsPath })}
        />
        <Button
          icon={<Trash2 />}
          aria-label={`Remove the redirect of ${row.domain || 'this row'}`}
          onClick={onRemove}
        >
          Remove
        </Button>
      </div>
    </div>
  )
}

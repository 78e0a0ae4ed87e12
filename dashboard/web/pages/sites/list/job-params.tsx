import { useState } from 'react'
import { type Draft, draftOf, inputOf, mistakesOf } from '#dashboard/web/pages/jobs/draft.ts'
import { JobFields } from '#dashboard/web/pages/jobs/job-fields.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { JobName, SiteJob } from '#shared/jobs/site-jobs.ts'
import type { ParamsProps } from './debounced-params.ts'
import { useDebouncedParams } from './debounced-params.ts'

/** One job for each of many sites. */
export function AddJob({ onChange }: ParamsProps) {
  const [draft, setDraft] = useState(() => draftOf())
  const checked = SiteJob.safeParse(inputOf(draft))
  useDebouncedParams(checked.success ? { add: checked.data } : undefined, onChange)
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  return <JobFields draft={draft} mistakes={mistakesOf(draft, [])} onChange={change} />
}

/** The job of this name of each of many sites. */
export function RemoveJob({ onChange }: ParamsProps) {
  const [name, setName] = useState('')
  const checked = JobName.safeParse(name)
  useDebouncedParams(checked.success ? { remove: checked.data } : undefined, onChange)
  return (
    <TextField
      label="Name of the job"
      name="remove"
      hint="Sites without a job of this name stay as they are."
      error={name === '' ? undefined : checked.error?.issues[0]?.message}
      value={name}
      autoCapitalize="none"
      onChange={setName}
    />
  )
}

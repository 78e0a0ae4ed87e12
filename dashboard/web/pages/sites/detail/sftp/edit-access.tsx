import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { peopleQuery, setAccess } from '#dashboard/web/api/access.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import type { Person, SiteAccess } from '#shared/api/access.ts'
import { type Draft, draftOf, grantsOf, hintOf, type Part } from './draft.ts'

interface EditAccessProps extends DialogState {
  site: Site
  access: SiteAccess
}

/** The people of the fleet, and until when each may log in. */
export function EditAccess({ site, access, ...dialog }: EditAccessProps) {
  const { data, error, refetch } = useQuery({ ...peopleQuery, enabled: dialog.open })
  const [draft, setDraft] = useState(() => draftOf(access))
  const [install, setInstall] = useState(false)
  const grants = grantsOf(draft)
  return (
    <WorkDialog
      {...dialog}
      title={`SFTP access to ${site.domain}`}
      about="Each of these people reaches the files of this site with an SSH key. All sessions end when somebody loses the access."
      site={site}
      work={
        data && data.length > 0
          ? setAccess(site, { grants, ...(install && { install }) })
          : undefined
      }
      action="Save access"
    >
      <QueryState of={{ data, error, refetch }} rows={3} />
      {data?.length === 0 && (
        <p>
          Nobody is on record yet. <ButtonLink to="/people">Add people and keys</ButtonLink>
        </p>
      )}
      {data && data.length > 0 && (
        <>
          <div className="flex max-h-80 flex-col gap-3 overflow-y-auto p-1">
            {data.map((person) => (
              <PersonField
                key={person.id}
                person={person}
                draft={draft}
                onChange={(part) => setDraft(new Map([...draft, [person.id, part]]))}
              />
            ))}
          </div>
          <CheckField
            label="Install the SSH server if it is missing"
            about="Otherwise a server without openssh-server refuses."
            checked={install}
            onChange={setInstall}
          />
        </>
      )}
    </WorkDialog>
  )
}

interface PersonFieldProps {
  person: Person
  draft: Draft
  onChange: (part: Part) => void
}

function PersonField({ person: { id, name, keys }, draft, onChange }: PersonFieldProps) {
  const part = draft.get(id) ?? { isIn: false, day: '' }
  const { isIn, day } = part
  const count = keys.length === 1 ? '1 key' : `${keys.length} keys`
  return (
    <div className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
      <CheckField
        label={name}
        about={keys.length === 0 ? 'No key: cannot log in' : count}
        checked={isIn}
        onChange={(checked) => onChange({ ...part, isIn: checked })}
      />
      {isIn && (
        <Field label={`Last day of ${name}`} name={`day-${id}`} hint={hintOf(day)}>
          <Input
            type="date"
            value={day}
            onChange={({ target }) => onChange({ ...part, day: target.value })}
          />
        </Field>
      )}
    </div>
  )
}

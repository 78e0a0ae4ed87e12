import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { peopleQuery, setAccess } from '#dashboard/web/api/access.ts'
import { settingsQuery } from '#dashboard/web/api/settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import type { Person, SiteAccess } from '#shared/access/api/access.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
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
  const mayShell = useQuery(settingsQuery).data?.site_shell ?? false
  const had = new Set(
    access.grants.flatMap(({ person_id, kind }) => (kind === 'shell' ? person_id : [])),
  )
  return (
    <WorkDialog
      {...dialog}
      title={`Access to ${unicodeOf(site.domain)}`}
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
          There are no people yet. <ButtonLink to="/people">Add people and keys</ButtonLink>
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
                mayShell={mayShell || had.has(person.id)}
                onChange={(part) => setDraft(new Map([...draft, [person.id, part]]))}
              />
            ))}
          </div>
          <CheckField
            label="Install missing programs"
            about="openssh-server, and for a shell also git, composer and rsync."
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
  /** Whether the person can be given a shell, or has one. */
  mayShell: boolean
  onChange: (part: Part) => void
}

function PersonField({ person, draft, mayShell, onChange }: PersonFieldProps) {
  const { id, name, keys } = person
  const part = draft.get(id) ?? { isIn: false, shell: false, day: '' }
  const { isIn, shell, day } = part
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
        <CheckField
          label={`Shell for ${name}`}
          about={mayShell ? 'Programs in the sandbox of the site.' : 'Turned off in the settings.'}
          checked={shell}
          disabled={!mayShell}
          onChange={(checked) => onChange({ ...part, shell: checked })}
        />
      )}
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

import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import packageJson from '../package.json' with { type: 'json' }

const ROOT = path.join(import.meta.dir, '..')
const SECTIONS = {
  'The program': packageJson.dependencies,
  'Where it can be had': packageJson.optionalDependencies,
  'Development alone': packageJson.devDependencies,
}

/** Package to licence, as a section of the page says. */
function listed(section: string): Record<string, string> {
  const page = readFileSync(path.join(ROOT, 'DEPENDENCIES.md'), 'utf8')
  const text = page.split(`## ${section}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = [...text.matchAll(/^\| (`.*?) \| (.*?) \|/gm)].flatMap(([, names = '', licences = '']) => {
    const each = licences.split(', ')
    return [...names.matchAll(/`(.*?)`/g)].map(([, name = ''], i) => [name, each[i] ?? each[0]])
  })
  return Object.fromEntries(rows)
}

test.each(Object.entries(SECTIONS))('each package is on the page once: %s', (section, packages) => {
  expect(Object.keys(listed(section)).sort()).toEqual(Object.keys(packages).sort())
})

test.each(Object.keys(SECTIONS))('each has the licence that it says of itself: %s', (section) => {
  const said = listed(section)
  const here = Object.keys(said).filter((name) => existsSync(manifestOf(name)))
  expect(here.length).toBeGreaterThan(0)
  expect(Object.fromEntries(here.map((name) => [name, licenceOf(name)]))).toEqual(
    Object.fromEntries(here.map((name) => [name, said[name]])) as Record<string, string>,
  )
})

function manifestOf(name: string): string {
  return path.join(ROOT, 'node_modules', name, 'package.json')
}

function licenceOf(name: string): string {
  const { license, licenses } = JSON.parse(readFileSync(manifestOf(name), 'utf8'))
  return license ?? licenses.map(({ type }: { type: string }) => type).join(' OR ')
}

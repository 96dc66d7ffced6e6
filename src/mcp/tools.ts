import type { Tool } from './tool.ts'
import { attachments } from './tools/attachments.ts'
import { docsReindex } from './tools/docs_reindex.ts'
import { docsSearch } from './tools/docs_search.ts'
import { docsStatus } from './tools/docs_status.ts'
import { frontmatter } from './tools/frontmatter.ts'
import { history } from './tools/history.ts'
import { indexTool } from './tools/index_tool.ts'
import { noteCreate } from './tools/note_create.ts'
import { noteDelete } from './tools/note_delete.ts'
import { noteFind } from './tools/note_find.ts'
import { noteInsert } from './tools/note_insert.ts'
import { noteInspect } from './tools/note_inspect.ts'
import { noteMove } from './tools/note_move.ts'
import { notePatch } from './tools/note_patch.ts'
import { noteRead } from './tools/note_read.ts'
import { noteReadMany } from './tools/note_read_many.ts'
import { noteReplace } from './tools/note_replace.ts'
import { noteWrite } from './tools/note_write.ts'
import { openInObsidian } from './tools/open_in_obsidian.ts'
import { periodic } from './tools/periodic.ts'
import { searchHybrid } from './tools/search_hybrid.ts'
import { searchMetadata } from './tools/search_metadata.ts'
import { searchRegex } from './tools/search_regex.ts'
import { searchSemantic } from './tools/search_semantic.ts'
import { searchText } from './tools/search_text.ts'
import { tags } from './tools/tags.ts'
import { tasks } from './tools/tasks.ts'
import { vaultInfo } from './tools/vault_info.ts'
import { vaultList } from './tools/vault_list.ts'
import { wikilinks } from './tools/wikilinks.ts'

/** Every tool of the program, in the order in which clients see them. */
export const TOOLS: readonly Tool[] = [
  vaultList,
  vaultInfo,
  noteRead,
  noteReadMany,
  noteCreate,
  noteWrite,
  noteInsert,
  notePatch,
  noteDelete,
  noteMove,
  searchText,
  searchSemantic,
  searchRegex,
  searchMetadata,
  searchHybrid,
  noteFind,
  noteInspect,
  frontmatter,
  wikilinks,
  periodic,
  openInObsidian,
  noteReplace,
  tags,
  tasks,
  history,
  indexTool,
  attachments,
  docsSearch,
  docsReindex,
  docsStatus,
]

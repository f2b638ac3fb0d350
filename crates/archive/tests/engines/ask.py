"""Asks other engines the questions of questions.json about an archive's files.

usage: ask.py ARCHIVE QUESTIONS ANSWERS

ANSWERS holds, for each question, the rows that heldup answered. Says each answer that is
another, and ends with 1 where there is one. Reads the files as anybody would, by their paths.
"""

import json
import math
import sys
from pathlib import Path

import chdb.session
import duckdb
import pandas
import pyarrow.parquet

archive, questions, answers = Path(sys.argv[1]), *(json.load(open(path)) for path in sys.argv[2:4])
tables = sorted(folder.name.removeprefix("table=") for folder in archive.glob("table=*"))


def with_duckdb():
    connection = duckdb.connect()
    for table in tables:
        files = f"{archive}/table={table}/*/*.parquet"
        connection.execute(
            f"create view {table} as select * from read_parquet('{files}', union_by_name = true)"
        )
    for question in questions:
        yield connection.execute(question["sql"]).fetchall()


def with_chdb():
    session = chdb.session.Session()
    session.query("create database archive engine = Memory")
    session.query("use archive")
    for table in tables:
        files = f"{archive}/table={table}/*/*.parquet"
        session.query(f"create view archive.{table} as select * from file('{files}', Parquet)")
    for question in questions:
        lines = session.query(question["sql"], "JSONCompactEachRow").bytes().decode().splitlines()
        yield [json.loads(line) for line in lines]


def with_pandas():
    def frame(table):
        files = sorted((archive / f"table={table}").glob("*/*.parquet"))
        # One file at a time, as plain columns: text without categories, integers that may be NULL.
        parts = [pyarrow.parquet.ParquetFile(file).read() for file in files]
        frames = [part.to_pandas(types_mapper=NULLABLE.get) for part in parts]
        return pandas.concat([part.astype(plain(part)) for part in frames], ignore_index=True)

    frames = {table: frame(table) for table in tables}
    for question in questions:
        rows = eval(question["pandas"], {}, frames)
        yield rows.values.tolist() if isinstance(rows, pandas.DataFrame) else rows


NULLABLE = {pyarrow.int64(): pandas.Int64Dtype(), pyarrow.bool_(): pandas.BooleanDtype()}


def plain(frame):
    return {name: "object" for name, kind in frame.dtypes.items() if str(kind) == "category"}


def same(found, expected):
    if expected is None or found is None or found is pandas.NA:
        return expected is None and (found is None or found is pandas.NA or found != found)
    if isinstance(expected, (int, float)):
        # An engine may write a large integer as text, adds floats in another order, and reads times
        # that are half a nanosecond off in each row.
        return math.isclose(float(found), float(expected), rel_tol=1e-12, abs_tol=1e-6)
    return found == expected


def same_rows(found, expected):
    return len(found) == len(expected) and all(
        len(a) == len(b) and all(map(same, a, b)) for a, b in zip(found, expected)
    )


wrong = 0
for engine in (with_duckdb, with_chdb, with_pandas):
    for question, found, expected in zip(questions, engine(), answers, strict=True):
        if not same_rows(found, expected):
            wrong += 1
            print(f"{engine.__name__}: {question['asks']}: {found}, expected {expected}")
print(f"{len(questions)} questions, {wrong} other answers")
sys.exit(1 if wrong else 0)
